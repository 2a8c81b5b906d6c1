/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a verified root in a build that verifies nothing. */
#include "tests/unit.h"
#include "tests/world/path.h"

/* Other builds have verifier.c in its place. */
#include "boot/init/noverity.c"

extern const struct word init_verifier_words[];

#define OURS "/etc/nbdboot/roothash" /* of the initramfs */

static const struct word *find(const char *name)
{
	const struct word *w = init_noverity_words;

	while (w->name && strcmp(w->name, name) != 0)
		w++;
	return w->name ? w : NULL;
}

/* Each hash that the other build obeys, also without its value. */
static void no_hash_is_overlooked(void **state)
{
	unsigned hashes = 0;

	(void)state;
	for (const struct word *v = init_verifier_words; v->name; v++) {
		const struct word *w = find(v->name);

		if (!strstr(v->name, "hash") || strstr(v->name, "verity"))
			continue;
		hashes++;
		if (!w || w->field != v->field || w->kind != v->kind)
			fail_msg("%s is not refused", v->name);
	}
	assert_int_equal(hashes, 4);
}

static int refuse_words(const char *words, bool beside, struct nbd_diag *d)
{
	/* pages: too large for a stack */
	static struct boot b;
	struct plan plan = { .line = beside ? words : NULL };

	b.plan = &plan;
	assert_int_equal(boot_cmdline_parse(&b.cmd, words, d), 0);
	return init_noverity_step.run(&b, d);
}

static void a_root_with_a_hash_is_refused(void **state)
{
	static const char *const bad[] = {
		"roothash=0123", "roothash", "rd.roothash=0123",
		"usrhash=0123",	 "usrhash=", "rd.usrhash",
	};
	struct nbd_diag d;

	(void)state;
	world_file(OURS, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(refuse_words(bad[i], false, &d), NBD_E_USAGE);
		assert_non_null(strstr(d.text, "roothash="));
	}
	world_file(OURS, NULL);
	assert_int_equal(refuse_words("ro", false, &d), 0);
	world_file(OURS, "");
	assert_int_equal(refuse_words("ro", false, &d), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "/etc/nbdboot/roothash: "));
	/* a system's file of that name is not for another root */
	assert_int_equal(refuse_words("ro", true, &d), 0);
	assert_int_equal(refuse_words("roothash=0", true, &d), NBD_E_USAGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_hash_is_overlooked),
		cmocka_unit_test(a_root_with_a_hash_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
