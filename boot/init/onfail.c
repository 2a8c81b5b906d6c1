/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Giving up.  If nbdboot.onfail= is set, a mistake is given up at once.  An
 * outage is given up after nbdboot.timeout=, which a child measures:
 *
 *	process 1    try, pause, try ... --over?--> wait for the timer's end
 *	timer        ------ nbdboot.timeout= -----> reboot, halt, or a shell
 */
#include "boot/init/onfail.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/words/word.h"
#include "boot/init/steps.h"
#include "port/linux/file.h"
#include "port/linux/process.h"

/* Seconds for the user to read the message. */
#define PAUSE	10
/* ms for the other consoles to take a line, in time for the next one. */
#define TELL_MS 200

/*
 * A line of /proc/consoles: "ttyS0    -W- (EC p a)    4:64".  The one with the
 * C is /dev/console, which has the text already.  The end of the process closes
 * the others.
 */
static void write_others(const char *text, size_t len)
{
	char buf[1024], path[64], *p, *line, *flags;
	int fd;

	file_read(AT_FDCWD, "/proc/consoles", buf, sizeof(buf));
	for (line = buf; (p = strchr(line, '\n')); line = p + 1) {
		*p = '\0';
		flags = strchr(line, '(');
		if (!flags || flags[2] == 'C')
			continue;
		line[strcspn(line, " ")] = '\0';
		nbd_fmt(path, sizeof(path), "/dev/%s", line);
		fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		/* best effort: the console may be gone */
		while (fd >= 0 && write(fd, text, len) < 0 && errno == EINTR)
			;
	}
}

/*
 * In a child: close() of a serial line waits until the line has taken all, or
 * 30 s.
 */
static void tell_others(const char *text, size_t len)
{
	pid_t pid = process_fork();

	if (pid == 0) {
		write_others(text, len);
		_exit(0);
	}
	if (pid > 0)
		process_await(pid, TELL_MS);
}

/*
 * Does what nbdboot.onfail= says.  Returns true when its shell has ended, false
 * if there is no shell to run.
 */
static bool act(const struct onfail *o)
{
	const struct cmdline *cmd = o->cmd;
	const char *how = cmd->onfail ? cmd->onfail : "reboot";

	switch (*how) {
	case 's':
		return init_recover_shell(cmd->shell ? cmd->shell : "/bin/sh",
					  &o->recovery->signals);
	case 'h':
		boot_say("halted (nbdboot.onfail=)");
		init_recover_end(RB_HALT_SYSTEM);
		return false;
	default:
		init_recover_reboot(cmd->panic > 0 ? (unsigned)cmd->panic
						   : PAUSE);
		return false;
	}
}

static _Noreturn void run_timer(const struct onfail *o)
{
	uint64_t now = nbd_now_ms();

	if (o->end > now)
		init_rest(o->end - now);
	boot_say("given up: not booted in %d s (nbdboot.timeout=)",
		 o->cmd->timeout);
	_exit(!act(o));
}

void init_onfail_start(struct onfail *o)
{
	if (!o->cmd->timeout)
		return;
	o->end = nbd_now_ms() + (uint64_t)o->cmd->timeout * 1000;
	o->timer = process_fork();
	if (o->timer == 0)
		run_timer(o);
}

void init_onfail_stop(struct onfail *o)
{
	process_stop(&o->timer, SIGKILL);
}

static bool enough(void *ctx, bool outage, unsigned *pause)
{
	struct onfail *o = ctx;
	uint64_t now = nbd_now_ms();

	if (!outage && o->cmd->onfail)
		return act(o);
	if (o->timer <= 0)
		return false;
	if (now < o->end) {
		if (*pause > o->end - now)
			*pause = (unsigned)(o->end - now) + 1;
		return false;
	}
	/* the timer has given up: do not disturb it, it may run a shell */
	waitpid(o->timer, NULL, 0);
	init_onfail_start(o);
	return true;
}

void init_onfail_init(struct onfail *o, const struct cmdline *cmd,
		      struct recovery *r)
{
	o->cmd = cmd;
	o->recovery = r;
	r->enough = enough;
	r->ctx = o;
	boot_console_tee = tell_others;
}

int init_onfail_check(const struct cmdline *c, struct nbd_diag *d)
{
	const char *how = c->onfail;

	if (!how || !strcmp(how, "reboot") || !strcmp(how, "shell") ||
	    !strcmp(how, "halt"))
		return NBD_OK;
	return nbd_diag(d, NBD_E_USAGE,
			"nbdboot.onfail=%s is not reboot, shell or halt", how);
}

/* ---- its words and steps ---- */

const struct word init_onfail_words[] = {
	WORD("nbdboot.onfail", onfail, WORD_TEXT, WORD_OURS | WORD_ONCE),
	WORD("nbdboot.timeout", timeout, WORD_NUMBER,
	     WORD_OURS | WORD_ONCE | WORD_FIRMWARE),
	WORD_END
};

static int begin(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_onfail_init(&b->onfail, &b->cmd, &b->recovery);
	return NBD_OK;
}

static int start(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_onfail_start(&b->onfail);
	return NBD_OK;
}

static int take_words(struct boot *b, struct nbd_diag *d)
{
	init_onfail_start(&b->onfail);
	return init_onfail_check(&b->cmd, d);
}

static int stop(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	init_onfail_stop(&b->onfail);
	return NBD_OK;
}

const struct step init_onfail_begin_step = {
	.name = "kernel file systems",
	.run = begin,
	.hint = "",
	.when = STEP_ONCE,
};

const struct step init_onfail_words_step = {
	.name = "kernel command line",
	.run = take_words,
	.hint = "check nbdboot.onfail=",
	.when = STEP_ONCE,
};

const struct step init_onfail_stop_step = {
	.name = "timer",
	.run = stop,
	.undo = start,
	.hint = "",
};
