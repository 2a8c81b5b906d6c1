/* SPDX-License-Identifier: BSD-2-Clause */
/* boot.json: what is written can be read, and garbage cannot. */
#include "tests/unit.h"

#include <unistd.h>

#include "boot/system/times.h"
#include "tests/guard.h"
#include "tests/world/open.h"

static const char good[] = "{\"unit\":\"ms\",\"steps\":[\n"
			   "{\"name\":\"firmware\",\"start\":-812,\"end\":0},\n"
			   "{\"name\":\"kernel\",\"start\":0,\"end\":2012},\n"
			   "{\"name\":\"way down\",\"start\":3,\"end\":3}]}\n";

/* Ends flush against an unreadable page. */
static int parse(struct times *t, const char *text, size_t len,
		 struct nbd_diag *d)
{
	struct guard g = guard_new(len + 1);
	int rc = boot_times_parse(t, guard_copy(&g, text, len), len, d);

	guard_free(&g);
	return rc;
}

static void what_is_written_can_be_read(void **state)
{
	static struct times t;

	(void)state;
	assert_int_equal(parse(&t, good, strlen(good), NULL), 0);
	assert_int_equal(t.n, 3);
	assert_string_equal(t.step[0].name, "firmware");
	assert_int_equal(t.step[0].start, -812);
	assert_int_equal(t.step[1].end, 2012);
	assert_string_equal(t.step[2].name, "way down");
}

static void the_head_may_be_there_in_part(void **state)
{
	static const char head[] = "{\"unit\":\"ms\",";
	static const char steps[] =
		"\"steps\":[{\"name\":\"x\",\"start\":1,\"end\":2}]}";
	static struct times t;
	char text[512];
	int n;

	(void)state;
	n = snprintf(text, sizeof(text),
		     "%s\"host\":\"desk1\",\"root\":\"nbd://h/x\",\n"
		     "\"kernel\":\"6.1.0\",\"date\":\"today\",%s",
		     head, steps);
	assert_int_equal(parse(&t, text, (size_t)n, NULL), 0);
	assert_string_equal(t.host, "desk1");
	assert_string_equal(t.root, "nbd://h/x");
	assert_string_equal(t.kernel, "6.1.0");
	assert_string_equal(t.date, "today");
	n = snprintf(text, sizeof(text), "%s\"kernel\":\"6\",%s", head, steps);
	assert_int_equal(parse(&t, text, (size_t)n, NULL), 0);
	assert_string_equal(t.host, "");
	assert_string_equal(t.kernel, "6");
	/* what would need an escape, and what has no room */
	n = snprintf(text, sizeof(text), "%s\"host\":\"<b>\",%s", head, steps);
	assert_int_equal(parse(&t, text, (size_t)n, NULL), NBD_E_IO);
	n = snprintf(text, sizeof(text), "%s\"date\":\"%024d\",%s", head, 0,
		     steps);
	assert_int_equal(parse(&t, text, (size_t)n, NULL), NBD_E_IO);
}

static void blanks_do_not_matter(void **state)
{
	static const char text[] =
		" { \"unit\" : \"ms\" , \"steps\" : [ { \"name\" : \"x\" ,"
		"\n\"start\" : -1 , \"end\" : 2 } ] } \n";
	static struct times t;

	(void)state;
	assert_int_equal(parse(&t, text, strlen(text), NULL), 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.step[0].start, -1);
}

static void every_shorter_file_is_refused(void **state)
{
	static struct times t;

	(void)state;
	/* the last byte is the newline, which need not be there */
	for (size_t len = 0; len + 1 < strlen(good); len++)
		assert_int_equal(parse(&t, good, len, NULL), NBD_E_IO);
}

static void garbage_is_refused_with_its_place(void **state)
{
	static const char head[] = "{\"unit\":\"ms\",\"steps\":[";
	static const struct {
		const char *text;
		unsigned at;
	} t[] = {
		{ "]}", 22 },
		{ "{\"name\":\"x\",\"start\":0,\"end\":1}]}x", 54 },
		{ "{\"name\":\"<x>\",\"start\":0,\"end\":1}]}", 31 },
		{ "{\"name\":\"\x1b[m\",\"start\":0,\"end\":1}]}", 31 },
		{ "{\"name\":\"x\",\"start\":1,\"end\":0}]}", 51 },
		{ "{\"name\":\"x\",\"start\":0,\"end\":1234567890}]}", 0 },
		{ "{\"name\":\"x\",\"start\":,\"end\":1}]}", 42 },
		{ "{\"name\":\"x\",\"start\":0,\"end\":1},]}", 53 },
		{ "{\"name\":\"123456789012345678901234\",\"start\":0,"
		  "\"end\":1}]}",
		  0 },
	};
	static struct times times;
	struct nbd_diag d;
	char text[256], want[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		int len = snprintf(text, sizeof(text), "%s%s", head, t[i].text);

		assert_int_equal(parse(&times, text, (size_t)len, &d),
				 NBD_E_IO);
		snprintf(want, sizeof(want), "at byte %u", t[i].at);
		if (t[i].at && !strstr(d.text, want))
			fail_msg("%s: %s", t[i].text, d.text);
	}
}

static void too_many_steps_are_refused(void **state)
{
	static struct times times;
	static char text[8192];
	size_t len = (size_t)sprintf(text, "{\"unit\":\"ms\",\"steps\":[");

	(void)state;
	for (unsigned i = 0; i <= TIMES_MAX; i++)
		len += (size_t)sprintf(
			text + len, "%s{\"name\":\"s\",\"start\":1,\"end\":2}",
			i ? "," : "");
	len += (size_t)sprintf(text + len, "]}");
	assert_int_equal(parse(&times, text, len, NULL), NBD_E_IO);
	assert_true(times.n <= TIMES_MAX);
}

/* On a slow machine nearly all of them take a millisecond, and init is the last. */
static void without_room_the_shortest_step_is_dropped(void **state)
{
	static struct times times;
	static char text[8192];
	char path[] = "/tmp/times.XXXXXX";
	int fd = mkstemp(path);
	ssize_t n;

	(void)state;
	assert_true(fd >= 0);
	boot_times_span("shortest", 5, 6);
	for (unsigned i = 1; i < TIMES_MAX; i++)
		boot_times_span("step", 10 * i, 10 * i + 2);
	boot_times_span("shorter", 7, 8);
	boot_times_span("switch", 9000, 9005);
	boot_times_span("start", 1, 4);
	world_file("/sys/firmware/acpi/fpdt/boot/exitbootservice_end_ns",
		   "0\n");
	world_link(TIMES_FILE, path);
	boot_times_write("nbd://h/x");
	n = read(fd, text, sizeof(text));
	close(fd);
	unlink(path);
	assert_true(n > 0);
	assert_int_equal(parse(&times, text, (size_t)n, NULL), 0);
	assert_int_equal(times.n, TIMES_MAX);
	assert_string_equal(times.step[TIMES_MAX - 1].name, "switch");
	assert_string_equal(times.step[0].name, "start");
	assert_string_equal(times.step[1].name, "step");
	assert_int_equal(times.step[1].start, 20);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_can_be_read),
		cmocka_unit_test(the_head_may_be_there_in_part),
		cmocka_unit_test(blanks_do_not_matter),
		cmocka_unit_test(every_shorter_file_is_refused),
		cmocka_unit_test(garbage_is_refused_with_its_place),
		cmocka_unit_test(too_many_steps_are_refused),
		cmocka_unit_test(without_room_the_shortest_step_is_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
