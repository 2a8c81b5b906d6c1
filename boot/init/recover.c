/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between a failure and the next try: a shell, a pause, or the end.
 *
 *   shell -> undo -> reboot | stay | pause -> next try
 */
#include "boot/init/recover.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "boot/common/console.h"

/* Pauses in seconds: the longest in an outage, and that of other failures. */
#define PAUSE_MAX  30
#define PAUSE_SLOW 60

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* Lets time pass, and takes in the orphans that every process 1 gets. */
void init_rest(unsigned seconds)
{
	uint64_t end = nbd_now_ms() + (uint64_t)seconds * 1000, now;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	while ((now = nbd_now_ms()) < end) {
		struct timespec t = { (time_t)((end - now) / 1000),
				      (long)((end - now) % 1000) * 1000000 };

		sigtimedwait(&set, NULL, &t);
		reap();
	}
}

/* Returns false if there is no such program. */
bool init_recover_shell(const char *shell, const sigset_t *signals)
{
	int status = 127 << 8;
	pid_t pid;

	boot_say("starting %s; when it ends, the boot is tried again", shell);
	pid = _Fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, signals, NULL);
		boot_console_open("/dev/console", true);
		execv(shell, (char *[]){ (char *)shell, NULL });
		boot_say("%s: %s", shell, strerror(errno));
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 127;
}

void init_recover_reboot(unsigned seconds)
{
	boot_say("rebooting in %u s", seconds);
	init_rest(seconds);
	sync();
	reboot(RB_AUTOBOOT);
}

static _Noreturn void stay(void)
{
	boot_say("this cannot pass by itself: reboot with Ctrl-Alt-Del");
	for (;;)
		init_rest(3600);
}

void init_recover(const struct recovery *r, const struct failure *f,
		  void (*undo)(size_t at))
{
	bool outage = nbd_err_is_outage(f->err) && !f->hopeless;
	unsigned pause = !outage	? PAUSE_SLOW
			 : f->tries < 5 ? 1u << f->tries
					: PAUSE_MAX;
	/* while the device and the root are still there to be looked at */
	bool shell = !outage && r->shell &&
		     init_recover_shell(r->shell, &r->signals);

	if (!f->hopeless)
		undo(f->at);
	if (shell && !f->hopeless)
		return;
	if (r->enough && r->enough(outage, &pause) && !f->hopeless)
		return;
	if (!outage && r->panic)
		init_recover_reboot(r->panic < 0 ? 0 : (unsigned)r->panic);
	if (f->hopeless)
		stay();
	if (outage)
		boot_say("this may pass: next try in %u s", pause);
	else
		boot_say(
			"next try in %u s, in case it is mended on the server; "
			"Ctrl-Alt-Del reboots",
			pause);
	init_rest(pause);
}
