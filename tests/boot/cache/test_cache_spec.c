/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of nbdboot.cache=. */
#include "boot/cache/cache_spec.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_device_may_have_a_name_of_the_image_behind_it),
		cmocka_unit_test(a_uuid_that_is_overwritten_names_no_cache),
		cmocka_unit_test(anything_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
