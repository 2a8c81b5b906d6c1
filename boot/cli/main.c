/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot: finds the command and runs it. */
#include "boot/cli/cli.h"
#include "port/posix/open.h"

#include <string.h>
#include <unistd.h>

static int run(const struct command *c, char *program, char *argv[])
{
	union {
		max_align_t align;
		char bytes[CLI_OPTIONS_MAX];
	} options = { 0 };
	struct cli_call call = { .program = program, .options = &options };
	int status, flushed;

	call.words = c->raw ? argv : cli_parse(c, argv, &options);
	if (!call.words)
		return CLI_USAGE;
	call.subject = call.words[0] ? call.words[0] : c->name;
	status = c->run(&call);
	if (status < 0)
		status = cli_fail(call.subject, status, &call.d);
	flushed = cli_flush();
	return flushed ? flushed : status;
}

/*
 * Finds the command by the program's own name (a link: /sbin/modprobe), as
 * process 1, or by the first word.  The words of process 1 come from the kernel
 * and are meant for the real init, unless it is an initramfs script that ends
 * with `exec nbdboot switch-root` or `exec nbdboot reroot`.
 */
int main(int argc, char *argv[])
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const struct command *c = NULL;
	const char *word = argc > 1 ? argv[1] : "";

	open_standard();
	if (argc)
		c = cli_find(slash ? slash + 1 : argv[0]);
	if (!c && getpid() == 1 && strcmp(word, "switch-root") != 0 &&
	    strcmp(word, "reroot") != 0)
		c = cli_find("init");
	if (c)
		return run(c, argv[0], argv);
	c = cli_find(word);
	if (c)
		return run(c, argv[0], argv + 1);
	return word[0] ? cli_usage("", "unknown command %s", word)
		       : cli_usage("", "missing command");
}
