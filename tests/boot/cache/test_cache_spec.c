/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of nbdboot.cache=, and what `nbdboot cache` shows. */
#include "boot/cache/cache.h"
#include "boot/cache/cache_spec.h"
#include "boot/cli/cli.h"
#include "boot/init/clone_target.h"
#include "tests/unit.h"

static struct cache_spec s;
static struct nbd_diag d;

static int parse(const char *text)
{
	return cache_spec_parse(&s, text, &d);
}

static void a_device_may_have_a_name_of_the_image_behind_it(void **state)
{
	(void)state;
	assert_int_equal(parse("/dev/vda"), NBD_OK);
	assert_string_equal(s.to.device, "/dev/vda");
	assert_string_equal(s.image, "");
	assert_int_equal(parse("PARTLABEL=cache,image=2026-11-28"), NBD_OK);
	assert_string_equal(s.to.device, "PARTLABEL=cache");
	assert_string_equal(s.image, "2026-11-28");
	assert_false(s.to.erase);
	assert_int_equal(parse("serial=1,image=a,erase"), NBD_OK);
	assert_true(s.to.erase);
	assert_string_equal(s.image, "a");
	assert_int_equal(parse("serial=1,erase,image=b"), NBD_OK);
	assert_true(s.to.erase);
	assert_string_equal(s.image, "b");
}

/* Otherwise each boot would look for the file system that was there. */
static void a_uuid_that_is_overwritten_names_no_cache(void **state)
{
	(void)state;
	assert_int_equal(parse("UUID=1-2,image=a,erase"), NBD_OK);
	assert_int_equal(clone_spec_stays(&s.to, &d), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "UUID=1-2 is that of what"));
	assert_int_equal(parse("/dev/disk/by-label/x,image=a,erase"), NBD_OK);
	assert_int_equal(clone_spec_stays(&s.to, &d), NBD_E_USAGE);
	assert_int_equal(parse("PARTUUID=1-2,image=a,erase"), NBD_OK);
	assert_int_equal(clone_spec_stays(&s.to, &d), NBD_OK);
}

static void anything_else_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"vda",
		"/dev/",
		"/dev/vda,",
		"/dev/vda,again",
		"/dev/vda,rate=3",
		"/dev/vda,image=",
		"/dev/vda,image=,erase",
		"/dev/vda,image=a b",
		"/dev/vda,image=a\\b",
		"/dev/vda,image=a,image=b",
		/* 40 characters */
		"/dev/vda,image=0123456789012345678901234567890123456789",
		",image=a",
	};
	char text[4 * CACHE_WORD];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(parse(wrong[i]), NBD_E_USAGE);
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "/dev/", 5);
	assert_int_equal(parse(text), NBD_E_USAGE);
}

/* ---- nbdboot cache: what a device has ---- */

extern const struct command cmd_cache;

static bool reads[CACHE_HALVES]; /* does the half of the device? */

int __wrap_init_clone_find(char path[CLONE_PATH], const char *device,
			   struct nbd_diag *why);
int __wrap_init_clone_find(char path[CLONE_PATH], const char *device,
			   struct nbd_diag *why)
{
	(void)device, (void)why;
	strcpy(path, "/dev/null");
	return NBD_OK;
}

bool __wrap_cache_is_ours(int fd, uint64_t size, const struct clone_eyes *eyes);
bool __wrap_cache_is_ours(int fd, uint64_t size, const struct clone_eyes *eyes)
{
	(void)fd, (void)size, (void)eyes;
	return true;
}

int __wrap_cache_read(struct cache_half *h, int fd, uint64_t size, unsigned n,
		      struct nbd_diag *why);
int __wrap_cache_read(struct cache_half *h, int fd, uint64_t size, unsigned n,
		      struct nbd_diag *why)
{
	(void)fd, (void)size, (void)h;
	return reads[n] ? nbd_diag(why, NBD_E_NOT_FOUND, "it has nothing yet")
			: nbd_diag(why, NBD_E_IO, "read its head: broken");
}

static void a_half_that_cannot_be_read_hides_no_other(void **state)
{
	char *words[] = { "/dev/vda", NULL };
	const char *image = NULL;
	struct cli_call call = { .words = words, .options = &image };

	(void)state;
	for (unsigned i = 0; i < CACHE_HALVES; i++) {
		reads[i] = false;
		reads[!i] = true;
		cli_out.len = 0;
		assert_int_equal(cmd_cache.run(&call), NBD_E_IO);
		assert_string_equal(call.d.text, "read its head: broken");
		cli_out.buf[cli_out.len] = '\0';
		assert_string_equal(cli_out.buf,
				    i ? "half 0   it has nothing yet\n"
					"half 1   read its head: broken\n"
				      : "half 0   read its head: broken\n"
					"half 1   it has nothing yet\n");
	}
	cli_out.len = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_device_may_have_a_name_of_the_image_behind_it),
		cmocka_unit_test(a_uuid_that_is_overwritten_names_no_cache),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(a_half_that_cannot_be_read_hides_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
