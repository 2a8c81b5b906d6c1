/* SPDX-License-Identifier: BSD-2-Clause */
/* The text that says which images a machine boots. */
#include "boot/images/list.h"
#include "tests/guard.h"
#include "tests/unit.h"

#define MAC	   "52:54:00:12:34:56"
#define SHARE_MAC  6038
#define SHARE_UUID 3254
#define UUID	   "4c4c4544-0044-4810-8031-c2c04f4d3332"

static const struct images_machine me = { MAC, UUID };
static struct images_list l;
static struct nbd_diag d;

static int parse(const char *text)
{
	return images_parse(&l, text, strlen(text), &me, &d);
}

static void each_line_is_an_image_in_order(void **state)
{
	(void)state;
	assert_int_equal(parse("# a comment\n\n  nbd://s/b \t rev=2\n"
			       "nbds://s/a,nbds://t/a"),
			 NBD_OK);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.uri[0], "nbd://s/b");
	assert_string_equal(l.rev[0], "2");
	assert_string_equal(l.uri[1], "nbds://s/a,nbds://t/a");
	assert_string_equal(l.rev[1], "");
	assert_int_equal(parse(""), NBD_OK);
	assert_int_equal(l.n, 0);
}

static void a_line_with_conditions_is_for_those_who_meet_one(void **state)
{
	static const struct {
		const char *words;
		bool mine;
	} cases[] = {
		{ "", true },
		{ " mac=" MAC, true },
		{ " mac=52:54:00:12:34:57", false },
		{ " mac=52:54:00:12:34:57 mac=" MAC, true },
		{ " mac=52-54-00-12-34-56", true },
		{ " mac=52-54-00-12-34-57", false },
		{ " uuid=4C4C4544-0044-4810-8031-C2C04F4D3332", true },
		{ " uuid=00000000-0044-4810-8031-c2c04f4d3332", false },
		{ " share=0", false },
		{ " share=0%", false },
		{ " share=100", true },
		{ " share=100%", true },
		{ " share=0 mac=" MAC " rev=x", true },
		{ " rev=x", true },
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "nbd://s/a%s\n", cases[i].words);
		assert_int_equal(parse(text), NBD_OK);
		assert_int_equal(l.n, cases[i].mine);
	}
}

static void a_machine_without_addresses_is_for_all_alone(void **state)
{
	static const struct images_machine nobody = { NULL, NULL };
	static const char text[] = "nbd://s/a mac=" MAC "\nnbd://s/b share=99\n"
				   "nbd://s/c share=100\nnbd://s/d";

	(void)state;
	assert_int_equal(images_parse(&l, text, sizeof(text) - 1, &nobody, &d),
			 NBD_OK);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.uri[0], "nbd://s/c");
}

static void one_mistake_makes_the_whole_text_void(void **state)
{
	static const struct {
		const char *text, *line;
	} cases[] = {
		{ "nbd://s/a\nhttp://s/a\n", "line 2 " },
		{ "nbd+unix:///?socket=/x\n", "line 1 " },
		{ "nbd://s/a,nbd+unix:///?socket=/x\n", "line 1 " },
		{ "/dev/sda\n", "line 1 " },
		{ "nbd://s/a mac=52:54:00:12:34:5\n", "line 1 " },
		{ "nbd://s/a mac=\n", "line 1 " },
		{ "nbd://s/a mac=52:54:00:12:34:5g\n", "line 1 " },
		{ "nbd://s/a mac=52 54:00:12:34:56\n", "line 1 " },
		{ "nbd://s/a mac=5254001234567890a\n", "line 1 " },
		{ "nbd://s/a uuid=1\n", "line 1 " },
		{ "nbd://s/a share=101\n", "line 1 " },
		{ "nbd://s/a share=\n", "line 1 " },
		{ "nbd://s/a share=%\n", "line 1 " },
		{ "nbd://s/a share=-1\n", "line 1 " },
		{ "nbd://s/a share=5%%\n", "line 1 " },
		{ "nbd://s/a rev=\n", "line 1 " },
		{ "nbd://s/a rev=01234567890123456789012345678901\n",
		  "line 1 " },
		{ "nbd://s/a word\n", "line 1 " },
		{ "nbd://s/a if=x\n", "line 1 " },
		{ "nbd://s/a\r\n", "line 1 " },
		{ "nbd://s/a # comment\n", "line 1 " },
		{ "nbd://s/\033[2J\n", "line 1 " },
		{ "\n\n# \xc3\xa4\n \t#\xc3\xa4\r\n", "" },
		{ "nbd://s/\xc3\xa4\n", "line 1 " },
		{ "nbd://a,nbd://b,nbd://c,nbd://d,nbd://e\n", "line 1 " },
		{ "nbd://1\nnbd://2\nnbd://3\nnbd://4\nnbd://5\nnbd://6\n"
		  "nbd://7\nnbd://8\nnbd://9\n",
		  "line 9 " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!*cases[i].line) {
			assert_int_equal(parse(cases[i].text), NBD_OK);
			continue;
		}
		assert_int_equal(parse(cases[i].text), NBD_E_USAGE);
		assert_int_equal(l.n, 0);
		assert_memory_equal(d.text, cases[i].line,
				    strlen(cases[i].line));
	}
}

static void a_uri_that_is_too_long_is_refused(void **state)
{
	char text[IMAGES_URI + 20] = "nbd://s/";

	(void)state;
	memset(text + 8, 'x', IMAGES_URI - 1 - 8);
	assert_int_equal(parse(text), NBD_OK);
	assert_int_equal(strlen(l.uri[0]), IMAGES_URI - 1);
	text[IMAGES_URI - 1] = 'x';
	assert_int_equal(parse(text), NBD_E_USAGE);
}

static void the_padding_of_an_export_is_no_text(void **state)
{
	static const char padded[32] = "nbd://s/a\n";
	char spoilt[32] = "nbd://s/a\n";

	(void)state;
	assert_int_equal(images_parse(&l, padded, sizeof(padded), &me, &d),
			 NBD_OK);
	assert_int_equal(l.n, 1);
	spoilt[31] = 'x';
	assert_int_equal(images_parse(&l, spoilt, sizeof(spoilt), &me, &d),
			 NBD_E_USAGE);
	assert_int_equal(l.n, 0);
}

/* Wherever the text is cut, nothing is read behind it. */
static void a_text_that_ends_anywhere_is_read_to_its_end(void **state)
{
	static const char text[] = "# c\nnbd://s/a,nbds://t/a mac=" MAC
				   " share=5% rev=2\n\nnbd://s/b uuid=" UUID;
	struct guard g = guard_new(sizeof(text));

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		char *p = guard_end(&g, n);

		memcpy(p, text, n);
		images_parse(&l, p, n, &me, &d);
	}
}

static unsigned count(unsigned percent, unsigned step)
{
	char mac[18];
	struct images_machine m = { mac, NULL };
	unsigned n = 0;

	for (unsigned i = 0; i < 1000; i++) {
		unsigned low = i * step;

		snprintf(mac, sizeof(mac), "52:54:%02x:%02x:%02x:%02x",
			 low >> 24 & 255, low >> 16 & 255, low >> 8 & 255,
			 low & 255);
		n += images_share(&m) < 100 * percent;
	}
	return n;
}

/* Addresses as vendors give them: in a row, and with gaps. */
static void a_share_is_right_within_two_percent_of_1000(void **state)
{
	static const unsigned percents[] = { 1, 5, 10, 25, 50, 75, 95 };
	static const unsigned steps[] = { 1, 2, 3, 4, 8, 16, 256, 65536 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++)
		for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
			unsigned n = count(percents[i], steps[k]);

			if (n + 20 < 10 * percents[i] ||
			    n > 10 * percents[i] + 20)
				fail_msg("share=%u, 1 of %u: %u of 1000",
					 percents[i], steps[k], n);
		}
	assert_int_equal(count(0, 1), 0);
	assert_int_equal(count(100, 1), 1000);
}

static void a_share_is_that_of_the_machine_for_ever(void **state)
{
	static const struct images_machine upper = { "52:54:00:AB:CD:EF",
						     NULL },
					   lower = { "52:54:00:ab:cd:ef",
						     NULL },
					   by_uuid = { NULL, UUID };

	(void)state;
	assert_int_equal(images_share(&upper), images_share(&lower));
	/* a machine must not change its group with a new release */
	assert_int_equal(images_share(&me), SHARE_MAC);
	assert_int_equal(images_share(&by_uuid), SHARE_UUID);
}

static void an_image_is_another_one_with_another_uri_or_rev(void **state)
{
	(void)state;
	assert_true(images_id("nbd://s/a", "") == images_id("nbd://s/a", ""));
	assert_false(images_id("nbd://s/a", "") == images_id("nbd://s/A", ""));
	assert_false(images_id("nbd://s/a", "") == images_id("nbd://s/a", "2"));
	assert_false(images_id("nbd://s/a2", "") ==
		     images_id("nbd://s/a", "2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_an_image_in_order),
		cmocka_unit_test(
			a_line_with_conditions_is_for_those_who_meet_one),
		cmocka_unit_test(a_machine_without_addresses_is_for_all_alone),
		cmocka_unit_test(one_mistake_makes_the_whole_text_void),
		cmocka_unit_test(a_uri_that_is_too_long_is_refused),
		cmocka_unit_test(the_padding_of_an_export_is_no_text),
		cmocka_unit_test(a_text_that_ends_anywhere_is_read_to_its_end),
		cmocka_unit_test(a_share_is_right_within_two_percent_of_1000),
		cmocka_unit_test(a_share_is_that_of_the_machine_for_ever),
		cmocka_unit_test(
			an_image_is_another_one_with_another_uri_or_rev),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
