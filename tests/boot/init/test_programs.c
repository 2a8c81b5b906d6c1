/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs of a distribution: their list, their arguments, and their ends. */
#include "boot/init/programs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/file.h"
#include "tests/unit.h"

static char dir[] = "/tmp/programs-XXXXXX", list[64], out[64];
static struct nbd_diag d;
static sigset_t none;

static void write_list(const char *text)
{
	assert_int_equal(file_write(AT_FDCWD, list, text, strlen(text)), 0);
}

static int run_with(const char *moment, const char *p, const char *o)
{
	const struct programs_value values[] = { { 'p', p },
						 { 'o', o },
						 { 0, NULL } };
	const struct programs_call c = { list, moment, values, NULL, &none };

	return init_programs_run(&c, &d);
}

/* A program that writes each of its arguments on a line of `out`. */
static void write_teller(void)
{
	char path[64], text[128];

	nbd_fmt(path, sizeof(path), "%s/tell", dir);
	nbd_fmt(text, sizeof(text),
		"#!/bin/sh\nfor a; do echo \"$a\"; done >>%s\n", out);
	assert_int_equal(file_write(AT_FDCWD, path, text, strlen(text)), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static void assert_out(const char *want)
{
	char text[8192] = "";

	file_read(AT_FDCWD, out, text, sizeof(text));
	assert_string_equal(text, want);
	unlink(out);
}

static void a_list_is_checked_as_a_whole(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "LUKS 1 /a\nluks 1 /a\n", "line 2: this build does not" },
		{ "LUKS\n", "line 1: the second word" },
		{ "LUKS 0 /a\n", "line 1: the second word" },
		{ "LUKS 86401 /a\n", "line 1: the second word" },
		{ "LUKS 1\n", "line 1: the path" },
		{ "LUKS 1 a\n", "line 1: the path" },
		{ "LUKS 1 /a 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 "
		  "7 8 9 0 1 2 3",
		  "line 1: it has too many words" },
	};
	char text[INIT_PROGRAMS_MAX + 1] = "";

	(void)state;
	unlink(list);
	assert_int_equal(init_programs_check(list, &d), 0);
	write_list("# x\n\n  LUKS\t9  /a b\n\t\nLVM 1 /a");
	assert_int_equal(init_programs_check(list, &d), 2);
	write_list("LUKS 1 /a 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 "
		   "6 7 8 9 0 1 2");
	assert_int_equal(init_programs_check(list, &d), 1);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		write_list(bad[i].text);
		assert_int_equal(init_programs_check(list, &d), NBD_E_USAGE);
		assert_non_null(strstr(d.text, bad[i].why));
	}
	for (unsigned i = 0; i < INIT_PROGRAMS_LINES; i++)
		strcat(text, "LVM 1 /a\n");
	write_list(text);
	assert_int_equal(init_programs_check(list, &d), INIT_PROGRAMS_LINES);
	strcat(text, "LVM 1 /a\n");
	write_list(text);
	assert_int_equal(init_programs_check(list, &d), NBD_E_USAGE);
	assert_non_null(strstr(d.text, "line 33: there are too many programs"));
	memset(text, '#', sizeof(text));
	text[INIT_PROGRAMS_MAX - 1] = '\0';
	write_list(text);
	assert_int_equal(init_programs_check(list, &d), NBD_E_USAGE);
	text[INIT_PROGRAMS_MAX - 2] = '\0';
	write_list(text);
	assert_int_equal(init_programs_check(list, &d), 0);
}

static void arguments_get_their_values_and_no_shell(void **state)
{
	char text[256];

	(void)state;
	nbd_fmt(text, sizeof(text),
		"LVM 60 %s/tell not\n"
		"LUKS 60 %s/tell $(id) \"a b\" 100%%%% x-%%p- %%o %%p%%o %%p\n",
		dir, dir);
	write_list(text);
	assert_int_equal(run_with("LUKS", "a b;$HOME", ""), 0);
	assert_out("$(id)\n\"a\nb\"\n100%\nx-a b;$HOME-\na b;$HOME\n"
		   "a b;$HOME\n");
	assert_int_equal(run_with("LUKS", "", "--readonly"), 0);
	assert_out("$(id)\n\"a\nb\"\n100%\nx--\n--readonly\n--readonly\n");
	assert_int_equal(run_with("RAID", "", ""), 0);
	assert_out("");
}

static void values_that_are_too_long_or_missing_run_nothing(void **state)
{
	static char value[INIT_PROGRAMS_MAX + 1];
	char text[256];

	(void)state;
	nbd_fmt(text, sizeof(text), "LUKS 60 %s/tell %%p\n", dir);
	write_list(text);
	memset(value, 'a', INIT_PROGRAMS_MAX);
	assert_int_equal(run_with("LUKS", value, ""), NBD_E_NO_MEMORY);
	assert_out("");
	/* the first fills all of the room, and the second has none */
	nbd_fmt(text, sizeof(text), "LUKS 60 %s/tell %%p x\n", dir);
	write_list(text);
	value[INIT_PROGRAMS_MAX - 1] = '\0';
	assert_int_equal(run_with("LUKS", value, ""), NBD_E_NO_MEMORY);
	assert_out("");
	nbd_fmt(text, sizeof(text), "LUKS 60 %s/tell %%q\n", dir);
	write_list(text);
	assert_int_equal(run_with("LUKS", "", ""), NBD_E_USAGE);
	nbd_fmt(text, sizeof(text), "LUKS 60 %s/tell %%", dir);
	write_list(text);
	assert_int_equal(run_with("LUKS", "", ""), NBD_E_USAGE);
	assert_out("");
}

static void each_failure_is_named_and_the_others_run(void **state)
{
	char text[256];

	(void)state;
	nbd_fmt(text, sizeof(text),
		"LVM 60 /bin/false\nLVM 60 /nowhere\nLVM 60 %s/tell x\n", dir);
	write_list(text);
	assert_int_equal(run_with("LVM", "", ""), NBD_E_KERNEL);
	assert_string_equal(d.text, "/bin/false: exit status 1");
	assert_out("x\n");
	write_list("LVM 60 /nowhere\nLVM 60 /bin/false\n");
	assert_int_equal(run_with("LVM", "", ""), NBD_E_NOT_FOUND);
	assert_string_equal(d.text, "run /nowhere: No such file or directory");
	/* it is there, and cannot be started */
	nbd_fmt(text, sizeof(text), "LVM 60 %s\n", dir);
	write_list(text);
	assert_int_equal(run_with("LVM", "", ""), NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, ": Permission denied"));
	write_list("LVM 60 /bin/sh -c kill${IFS}-9${IFS}$$\n");
	assert_int_equal(run_with("LVM", "", ""), NBD_E_KERNEL);
	assert_string_equal(d.text, "/bin/sh: killed by signal 9");
}

/* The child of the program holds the FIFO, and ends with it. */
static void ends_with_its_children(const char *moment, const char *then,
				   int err, const char *why)
{
	char text[256], fifo[64], byte;
	int fd;

	nbd_fmt(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	fd = open(fifo, O_RDONLY | O_NONBLOCK);
	nbd_fmt(text, sizeof(text),
		"%s 1 /bin/sh -c sleep${IFS}1000${IFS}>%s&%s\n", moment, fifo,
		then);
	write_list(text);
	assert_int_equal(run_with(moment, "", ""), err);
	assert_string_equal(d.text, why);
	fcntl(fd, F_SETFL, 0);
	assert_int_equal(read(fd, &byte, 1), 0);
	close(fd);
	unlink(fifo);
}

static void a_program_that_does_not_end_is_ended_with_its_children(void **state)
{
	(void)state;
	ends_with_its_children("LVM", "sleep${IFS}1000", NBD_E_TIMEOUT,
			       "/bin/sh: no end after 1 s");
}

static void a_program_that_fails_leaves_no_children(void **state)
{
	(void)state;
	ends_with_its_children("LVM", "exit${IFS}3", NBD_E_KERNEL,
			       "/bin/sh: exit status 3");
}

/* As those of a disk with many volumes do. */
static void the_seconds_of_a_program_are_for_all_of_its_runs(void **state)
{
	struct programs_had had = { 0 };
	const struct programs_value values[] = { { 0, NULL } };
	const struct programs_call c = { list, "LUKS", values, &had, &none };
	char text[256];

	(void)state;
	nbd_fmt(text, sizeof(text),
		"LVM 9 /bin/true\nLUKS 1 /bin/sleep 1000\nLUKS 60 %s/tell x\n",
		dir);
	write_list(text);
	assert_int_equal(init_programs_run(&c, &d), NBD_E_TIMEOUT);
	assert_string_equal(d.text, "/bin/sleep: no end after 1 s");
	assert_int_equal(init_programs_run(&c, &d), NBD_E_TIMEOUT);
	assert_string_equal(d.text, "/bin/sleep: its 1 s are over, so it does "
				    "not run again");
	assert_int_equal(had.ms[0], 0);
	assert_int_equal(had.ms[1], 1000);
	assert_in_range(had.ms[2], 0, 59999);
	assert_out("x\nx\n");
}

/* One that asks for a passphrase, and is killed. */
static void the_terminal_is_as_it_was(void **state)
{
	int tty = posix_openpt(O_RDWR | O_NOCTTY), in = dup(0), slave;
	struct termios t;

	(void)state;
	assert_true(tty >= 0 && in >= 0);
	assert_int_equal(grantpt(tty) || unlockpt(tty), 0);
	slave = open(ptsname(tty), O_RDWR | O_NOCTTY);
	assert_int_equal(dup2(slave, 0), 0);
	write_list("LUKS 60 /bin/stty -echo\nLUKS 60 /bin/sh -c "
		   "stty${IFS}-echo;kill${IFS}-9${IFS}$$\n");
	assert_int_equal(run_with("LUKS", "", ""), NBD_E_KERNEL);
	assert_string_equal(d.text, "/bin/sh: killed by signal 9");
	assert_int_equal(tcgetattr(0, &t), 0);
	assert_true(t.c_lflag & ECHO);
	assert_int_equal(dup2(in, 0), 0);
	close(in);
	close(slave);
	close(tty);
}

static int make_files(void **state)
{
	(void)state;
	sigemptyset(&none);
	if (!mkdtemp(dir))
		return -1;
	nbd_fmt(list, sizeof(list), "%s/list", dir);
	nbd_fmt(out, sizeof(out), "%s/out", dir);
	write_teller();
	return 0;
}

static int remove_files(void **state)
{
	char path[64];

	(void)state;
	nbd_fmt(path, sizeof(path), "%s/tell", dir);
	unlink(path);
	unlink(list);
	unlink(out);
	return rmdir(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_checked_as_a_whole),
		cmocka_unit_test(arguments_get_their_values_and_no_shell),
		cmocka_unit_test(
			values_that_are_too_long_or_missing_run_nothing),
		cmocka_unit_test(each_failure_is_named_and_the_others_run),
		cmocka_unit_test(
			a_program_that_does_not_end_is_ended_with_its_children),
		cmocka_unit_test(a_program_that_fails_leaves_no_children),
		cmocka_unit_test(
			the_seconds_of_a_program_are_for_all_of_its_runs),
		cmocka_unit_test(the_terminal_is_as_it_was),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
