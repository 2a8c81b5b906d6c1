/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot: finds the command and runs it. */
#include "boot/cli/cli.h"
#include "port/posix/open.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static int run(const struct command *c, char *program, char *argv[]);

/* c: which command help is about, or NULL. */
static int grant(int wish, const struct command *c, char *program)
{
	const struct command *answer =
		cli_find(wish == CLI_WISH_HELP ? "help" : "version");
	char *words[] = { program, NULL, NULL };

	if (!answer)
		return cli_usage(c ? c->name : "", "this build has no help");
	if (wish == CLI_WISH_HELP && c)
		words[1] = (char *)c->name;
	return run(answer, program, words);
}

/*
 * Fills in call->words and its options, or returns as cli_parse().  Words for
 * process 1 are the kernel's, and a command with options parses them itself.
 */
static int parse(struct cli_call *call, const struct command *c, char *argv[])
{
	call->words = argv;
	if (!c->raw)
		return cli_parse(c, &call->words, call->options);
	return c->options || !argv[0] || !argv[1] || getpid() == 1
		       ? CLI_OK
		       : cli_wish(argv[1]);
}

static int run(const struct command *c, char *program, char *argv[])
{
	union {
		max_align_t align;
		char bytes[CLI_OPTIONS_MAX];
	} options = { 0 };
	struct cli_call call = { .program = program, .options = &options };
	int status, flushed;

	status = parse(&call, c, argv);
	if (status)
		return status < 0 ? grant(status, c, program) : status;
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
	/* if a parent ignores it, nobody learns how a child of ours ended */
	signal(SIGCHLD, SIG_DFL);
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
	if (cli_wish(word))
		return grant(cli_wish(word), NULL, argv[0]);
	return word[0] ? cli_unknown("", word)
		       : cli_usage("", "missing command");
}
