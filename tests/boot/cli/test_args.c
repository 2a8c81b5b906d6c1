/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of options and operands, and the tables that it is given. */
#include "boot/cli/args.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct inner {
	const char *text;
	bool last;
};

struct options {
	bool all, json;
	unsigned count;
	int seconds, index;
	const char *name;
	struct inner inner;
};

static const struct cli_option inner_table[] = {
	{ "text", 't', "TEXT", "in a table that follows",
	  CLI_FIELD(struct inner, text) },
	{ "last", 0, NULL, "its last one", CLI_FIELD(struct inner, last) },
	{ 0 },
};

static const struct cli_option table[] = {
	{ "all", 'a', NULL, "a flag", CLI_FIELD(struct options, all) },
	{ "json", 0, NULL, "without a letter",
	  CLI_FIELD(struct options, json) },
	{ "count", 'c', "N", "unsigned", CLI_FIELD(struct options, count),
	  .min = 1, .max = 16, .preset = 4 },
	{ "seconds", 's', "SECONDS", "signed",
	  CLI_FIELD(struct options, seconds), .max = 60, .preset = -1 },
	{ "name", 'n', "NAME", "text", CLI_FIELD(struct options, name) },
	{ "device", 'd', "nbdN", "device", .kind = CLI_DEVICE,
	  .at = offsetof(struct options, index), .preset = -1 },
	{ .more = inner_table, .at = offsetof(struct options, inner) },
};

static const struct command command = {
	.name = "frob",
	.operands = { 0, 2, { "ONE|TWO|THREE", "FOUR|FIVE" } },
	.options = table,
};

static struct options o;
static char message[1024];
static int asked; /* the last result of cli_parse() */

/* Parses words with blanks between them; its messages end up in message. */
static char **parse_for(const struct command *c, const char *line)
{
	static char text[256], *argv[16];
	int saved = dup(2), fd = memfd_create("stderr", 0), n = 0;
	char **words;
	ssize_t len;

	assert_true(strlen(line) < sizeof(text));
	strcpy(text, line);
	argv[n++] = text;
	for (char *p = text; *p; p++)
		if (*p == ' ') {
			*p = '\0';
			argv[n++] = p + 1;
		}
	argv[n] = NULL;
	memset(&o, 0, sizeof(o));
	assert_return_code(dup2(fd, 2), 0);
	words = argv;
	asked = cli_parse(c, &words, &o);
	dup2(saved, 2);
	close(saved);
	len = pread(fd, message, sizeof(message) - 1, 0);
	close(fd);
	assert_true(len >= 0);
	message[len] = '\0';
	return asked ? NULL : words;
}

static char **parse(const char *line)
{
	return parse_for(&command, line);
}

/* The message without what all of them begin and end with. */
static void assert_refused(const char *line, const char *want)
{
	char all[256];

	assert_null(parse(line));
	snprintf(all, sizeof(all),
		 "nbdboot: frob: %s (see `nbdboot help frob`)\n", want);
	assert_string_equal(message, all);
}

static void what_is_not_given_has_its_preset(void **state)
{
	(void)state;
	assert_non_null(parse("frob"));
	assert_false(o.all || o.json || o.inner.last);
	assert_int_equal(o.count, 4);
	assert_int_equal(o.seconds, -1);
	assert_int_equal(o.index, -1);
	assert_null(o.name);
	assert_null(o.inner.text);
	assert_string_equal(message, "");
}

static void each_kind_fills_its_field(void **state)
{
	char **words = parse("frob -a --json -c 16 -s 0 -n x -d /dev/nbd7 one");

	(void)state;
	assert_non_null(words);
	assert_true(o.all && o.json);
	assert_int_equal(o.count, 16);
	assert_int_equal(o.seconds, 0);
	assert_string_equal(o.name, "x");
	assert_int_equal(o.index, 7);
	assert_string_equal(words[0], "one");
	assert_null(words[1]);
}

static void a_table_goes_on_in_another(void **state)
{
	(void)state;
	assert_non_null(parse("frob -t x --last"));
	assert_string_equal(o.inner.text, "x");
	assert_true(o.inner.last);
	assert_non_null(parse("frob --text=y -a"));
	assert_string_equal(o.inner.text, "y");
	assert_true(o.all);
}

static void values_stand_in_the_word_or_in_the_next(void **state)
{
	static const char *const lines[] = {
		"frob -c5",	   "frob -c 5",	      "frob -ac5",
		"frob -ac 5",	   "frob --count=5",  "frob --count 5",
		"frob -c 7 -c5",   "frob -c5 -n -c6", "frob -nx -c 5",
		"frob -c5 -n=--x",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_non_null(parse(lines[i]));
		assert_int_equal(o.count, 5);
	}
	/* whatever it looks like */
	assert_string_equal(o.name, "=--x");
	assert_non_null(parse("frob --name --"));
	assert_string_equal(o.name, "--");
	assert_non_null(parse("frob --name="));
	assert_string_equal(o.name, "");
	assert_non_null(parse("frob --name=a=b"));
	assert_string_equal(o.name, "a=b");
}

static void letters_may_share_a_word(void **state)
{
	(void)state;
	assert_non_null(parse("frob -aaac2"));
	assert_true(o.all);
	assert_int_equal(o.count, 2);
	assert_refused("frob -axc2", "unknown option -x");
	assert_refused("frob -ac", "option -c needs a value");
}

static void bounds_are_inclusive(void **state)
{
	(void)state;
	assert_non_null(parse("frob -c1"));
	assert_non_null(parse("frob -s60"));
	assert_refused("frob -c0", "-c: 0 is not a number from 1 to 16");
	assert_refused("frob -c 17", "-c: 17 is not a number from 1 to 16");
	assert_refused("frob --count=-1",
		       "--count: -1 is not a number from 1 to 16");
	assert_refused("frob --count 1x",
		       "--count: 1x is not a number from 1 to 16");
	assert_refused("frob -s 61", "-s: 61 is not a number from 0 to 60");
	assert_refused("frob -s ", "-s:  is not a number from 0 to 60");
	assert_refused("frob -c 4294967297",
		       "-c: 4294967297 is not a number from 1 to 16");
	assert_refused("frob -d sda", "sda is not the name of an nbd device, "
				      "such as nbd0");
}

static void what_is_missing_or_unknown_is_named(void **state)
{
	(void)state;
	assert_refused("frob -c", "option -c needs a value");
	assert_refused("frob --name", "option --name needs a value");
	assert_refused("frob --json=1", "option --json takes no value");
	assert_refused("frob --json=", "option --json takes no value");
	assert_refused("frob -j", "unknown option -j");
	assert_refused("frob --frob=1", "unknown option --frob");
	assert_refused("frob --=1", "unknown option --");
	assert_refused("frob -a -\033", "unknown option -\\x1b");
}

/* One hint is enough: such a message does not name help as well. */
static void a_near_miss_is_suggested(void **state)
{
	static const char *const words[][2] = {
		{ "jso", "json" },	{ "jsons", "json" },
		{ "josn", "json" },	{ "cuont", "count" },
		{ "conut=3", "count" }, { "dev", "device" },
		{ "decive", "device" }, { "seconsd", "seconds" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char line[64], want[128];

		snprintf(line, sizeof(line), "frob --%s", words[i][0]);
		snprintf(want, sizeof(want),
			 "nbdboot: frob: unknown option --%.*s (did you mean "
			 "--%s?)\n",
			 (int)strcspn(words[i][0], "="), words[i][0],
			 words[i][1]);
		assert_null(parse(line));
		assert_string_equal(message, want);
	}
	/* too far away, or too short to tell */
	assert_refused("frob --xyzon", "unknown option --xyzon");
	assert_refused("frob --js", "unknown option --js");
	assert_refused("frob --abcdefghijklmnopqrstuvwxyz",
		       "unknown option --abcdefghijklmnopqrstuvwxyz");
}

static void the_nearest_name_wins(void **state)
{
	struct cli_near near = { .word = "scael", .len = 5 };

	(void)state;
	cli_near(&near, "stale");
	cli_near(&near, "scale");
	cli_near(&near, "scalar");
	assert_string_equal(near.name, "scale");
	assert_int_equal(near.cost, 1);
}

static void assert_asks(const char *line, int want)
{
	assert_null(parse(line));
	assert_int_equal(asked, want);
	assert_string_equal(message, "");
}

static void help_and_version_may_stand_anywhere(void **state)
{
	struct command c = command;

	(void)state;
	assert_asks("frob --help", CLI_WISH_HELP);
	assert_asks("frob -h", CLI_WISH_HELP);
	assert_asks("frob --version", CLI_WISH_VERSION);
	assert_asks("frob -a --help --frob", CLI_WISH_HELP);
	assert_asks("frob one -h", CLI_WISH_HELP);
	assert_asks("frob one two three --help", CLI_WISH_HELP);
	/* not where they are a value, an operand, or another program's */
	assert_non_null(parse("frob -n -h"));
	assert_string_equal(o.name, "-h");
	assert_non_null(parse("frob -- --help"));
	c.operands.max = CLI_ANY;
	assert_non_null(parse_for(&c, "frob one --help"));
}

static void operands_end_the_options(void **state)
{
	char **words = parse("frob -- -a");

	(void)state;
	assert_non_null(words);
	assert_string_equal(words[0], "-a");
	assert_false(o.all);
	words = parse("frob -a -- - --");
	assert_non_null(words);
	assert_string_equal(words[0], "-");
	assert_string_equal(words[1], "--");
}

static void an_option_behind_an_operand_is_refused(void **state)
{
	struct command c = command;

	(void)state;
	assert_refused("frob 1 -a", "-a: options come first");
	assert_refused("frob -a 1 --name", "--name: options come first");
	assert_non_null(parse("frob - -"));
	/* an argument of another program */
	c.operands.max = CLI_ANY;
	assert_non_null(parse_for(&c, "frob 1 -a"));
}

static void operands_are_counted_and_named(void **state)
{
	struct command c = command;

	(void)state;
	assert_refused("frob 1 2 3", "extra operand \"3\"");
	c.operands.min = 2;
	assert_null(parse_for(&c, "frob"));
	assert_non_null(
		strstr(message, ": missing operand: ONE, TWO or THREE (see"));
	assert_null(parse_for(&c, "frob -a 1"));
	assert_non_null(
		strstr(message, ": missing operand: FOUR or FIVE (see"));
	assert_non_null(parse_for(&c, "frob 1 2"));
	c.operands.max = CLI_ANY;
	assert_non_null(parse_for(&c, "frob 1 2 3 4 5"));
}

static void operands_may_have_to_be_devices(void **state)
{
	struct command c = command;

	(void)state;
	c.devices = true;
	assert_non_null(parse_for(&c, "frob nbd0 /dev/nbd1"));
	assert_null(parse_for(&c, "frob nbd0 nbd1p1"));
	assert_non_null(strstr(message, ": nbd1p1 is not the name of an nbd "));
}

static void a_command_may_have_no_options(void **state)
{
	const struct command c = { .name = "frob" };

	(void)state;
	assert_non_null(parse_for(&c, "frob"));
	assert_non_null(parse_for(&c, "frob --"));
	assert_null(parse_for(&c, "frob -a"));
	assert_null(parse_for(&c, "frob x"));
	assert_non_null(strstr(message, "extra operand \"x\""));
}

/* ---- the tables of the program ---- */

static void check_option(const struct command *c, const struct cli_option *opt,
			 size_t at)
{
	size_t base = 0;
	const struct cli_option *other = cli_skip(c->options, &base);

	assert_true(at + sizeof(void *) <= CLI_OPTIONS_MAX);
	assert_true(opt->help && strlen(opt->help) < 72);
	assert_int_equal(!opt->value, opt->kind == CLI_FLAG);
	if (opt->kind == CLI_NUMBER) {
		assert_true(opt->min >= 0 && opt->min < opt->max);
		assert_true(opt->preset <= opt->max);
	}
	assert_int_not_equal(opt->letter, 'h');
	assert_string_not_equal(opt->name, "help");
	assert_string_not_equal(opt->name, "version");
	for (; other != opt; other = cli_skip(other + 1, &base)) {
		assert_string_not_equal(other->name, opt->name);
		assert_true(!opt->letter || other->letter != opt->letter);
		assert_int_not_equal(base + other->at, at);
	}
}

static void every_table_of_the_program_is_sound(void **state)
{
	(void)state;
	for (unsigned i = 0; cli_commands[i]; i++) {
		const struct command *c = cli_commands[i];
		size_t base = 0;
		const struct cli_option *opt = cli_skip(c->options, &base);

		assert_ptr_equal(cli_find(c->name), c);
		assert_true(strlen(c->name) + strlen(c->summary) < 70);
		assert_true(c->operands.min <= c->operands.max);
		assert_int_equal(!c->operands.max, !c->operands.name[0]);
		for (unsigned n = 0; n < c->operands.min; n++)
			assert_non_null(c->operands.name[n]);
		assert_true(c->group < CLI_GROUPS);
		/* nbd-client has its own */
		for (; opt && !c->raw; opt = cli_skip(opt + 1, &base))
			check_option(c, opt, base + opt->at);
	}
	assert_non_null(cli_find("connect"));
	assert_null(cli_find("conn"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_given_has_its_preset),
		cmocka_unit_test(each_kind_fills_its_field),
		cmocka_unit_test(a_table_goes_on_in_another),
		cmocka_unit_test(values_stand_in_the_word_or_in_the_next),
		cmocka_unit_test(letters_may_share_a_word),
		cmocka_unit_test(bounds_are_inclusive),
		cmocka_unit_test(what_is_missing_or_unknown_is_named),
		cmocka_unit_test(a_near_miss_is_suggested),
		cmocka_unit_test(the_nearest_name_wins),
		cmocka_unit_test(help_and_version_may_stand_anywhere),
		cmocka_unit_test(operands_end_the_options),
		cmocka_unit_test(an_option_behind_an_operand_is_refused),
		cmocka_unit_test(operands_are_counted_and_named),
		cmocka_unit_test(operands_may_have_to_be_devices),
		cmocka_unit_test(a_command_may_have_no_options),
		cmocka_unit_test(every_table_of_the_program_is_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
