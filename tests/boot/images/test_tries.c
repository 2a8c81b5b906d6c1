/* SPDX-License-Identifier: BSD-2-Clause */
/* What a machine remembers of images, and which one it boots. */
#include "boot/images/tries.h"
#include "tests/unit.h"

#define NEW 0x1122334455667788u
#define OLD 0xffeeddccbbaa9988u

static const uint64_t both[] = { NEW, OLD };
static const unsigned char fine[IMAGES_MAX];
static bool counted[2];
static struct images_tries t;

static unsigned choose(const unsigned char failed[])
{
	return images_choose(&t, both, counted, failed, 2);
}

static void a_new_image_is_tried_twice_and_left(void **state)
{
	(void)state;
	t = (struct images_tries){ 0 };
	for (unsigned i = 0; i < IMAGES_TRIES; i++) {
		assert_int_equal(choose(fine), 0);
		images_set_tried(&t, NEW, images_tried(&t, NEW) + 1);
	}
	assert_int_equal(choose(fine), 1);
	images_set_good(&t, OLD);
	assert_int_equal(choose(fine), 1);
	/* it was repaired, or a person has a look */
	images_set_good(&t, NEW);
	assert_int_equal(choose(fine), 0);
	assert_int_equal(images_tried(&t, NEW), 0);
}

static void one_that_fails_in_this_boot_is_passed_over(void **state)
{
	static const unsigned char once[] = { 1, 0 }, twice[] = { 2, 0 },
				   both_failed[] = { 2, 2 };

	(void)state;
	t = (struct images_tries){ 0 };
	images_set_good(&t, NEW);
	assert_int_equal(choose(once), 0);
	assert_int_equal(choose(twice), 1);
	/* there is none to boot, and one is booted all the same */
	assert_int_equal(choose(both_failed), 1);
}

/* Its server is away for a moment in its last try. */
static void the_last_try_may_take_several_connects(void **state)
{
	static const unsigned char twice[] = { 2, 0 };

	(void)state;
	t = (struct images_tries){ 0 };
	images_set_tried(&t, NEW, IMAGES_TRIES);
	counted[0] = true;
	assert_int_equal(choose(fine), 0);
	assert_int_equal(choose(twice), 1);
	counted[0] = false;
}

static void with_all_left_the_last_one_is_booted(void **state)
{
	static const unsigned char last[] = { 0, 2 };

	(void)state;
	t = (struct images_tries){ 0 };
	images_set_tried(&t, NEW, 7);
	images_set_tried(&t, OLD, 2);
	assert_int_equal(images_tried(&t, NEW), IMAGES_TRIES);
	assert_int_equal(choose(fine), 1);
	assert_int_equal(choose(last), 0);
}

static void what_is_printed_is_parsed(void **state)
{
	char text[IMAGES_TEXT];
	struct images_tries back;

	(void)state;
	t = (struct images_tries){ 0 };
	images_set_good(&t, OLD);
	for (unsigned i = 0; i < IMAGES_MAX + 3; i++)
		images_set_tried(&t, NEW + i, 1 + i % IMAGES_TRIES);
	assert_int_equal(t.n, IMAGES_MAX);
	assert_int_equal(images_tried(&t, NEW), 0);
	images_tries_print(&t, text);
	assert_int_equal(images_tries_parse(&back, text), NBD_OK);
	assert_memory_equal(&t, &back, sizeof(t));
	assert_int_equal(text[IMAGES_TEXT - 1], '\0');
}

static void another_text_is_nothing(void **state)
{
	static const char *const cases[] = {
		"nbdboot-images 2\nend\n",
		"nbdboot-images 1\n",
		"nbdboot-images 1\nend\nx",
		"nbdboot-images 1\ngood 0000000000000000\nend\n",
		"nbdboot-images 1\ngood 1\nend\n",
		"nbdboot-images 1\ngood 00d1e2f3a4b5c6d7 \nend\n",
		"nbdboot-images 1\ntried 00d1e2f3a4b5c6d7\nend\n",
		"nbdboot-images 1\ntried 00d1e2f3a4b5c6d7 0\nend\n",
		"nbdboot-images 1\ntried 00d1e2f3a4b5c6d7 3\nend\n",
		"nbdboot-images 1\ntried 00d1e2f3a4b5c6d7 11\nend\n",
		"\1",
	};
	char text[IMAGES_TEXT] = "";

	(void)state;
	assert_int_equal(images_tries_parse(&t, text), NBD_OK);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(text, 0, sizeof(text));
		memcpy(text, cases[i], strlen(cases[i]));
		t.good = 1;
		assert_int_equal(images_tries_parse(&t, text), NBD_E_PARAM);
		assert_true(!t.good && !t.n);
	}
	memset(text, 'x', sizeof(text));
	assert_int_equal(images_tries_parse(&t, text), NBD_E_PARAM);
	/* more than there is room for */
	memset(text, 0, sizeof(text));
	strcpy(text, "nbdboot-images 1\n");
	for (unsigned i = 0; i < IMAGES_MAX + 1; i++)
		strcat(text, "tried 00d1e2f3a4b5c6d7 1\n");
	strcat(text, "end\n");
	assert_int_equal(images_tries_parse(&t, text), NBD_E_PARAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_image_is_tried_twice_and_left),
		cmocka_unit_test(one_that_fails_in_this_boot_is_passed_over),
		cmocka_unit_test(the_last_try_may_take_several_connects),
		cmocka_unit_test(with_all_left_the_last_one_is_booted),
		cmocka_unit_test(what_is_printed_is_parsed),
		cmocka_unit_test(another_text_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
