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

#include "boot/system/console.h"
#include "boot/init/image.h"
#include "port/linux/process.h"

/*
 * Pauses in ms: the first and the longest during an outage, and the one after
 * other failures.
 */
#define PAUSE_MIN  1000
#define PAUSE_MAX  30000
#define PAUSE_SLOW 60000
/* ms for writing back changes, before the end. */
#define SYNC_MS	   5000

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

void init_rest(uint64_t ms)
{
	uint64_t end = nbd_now_ms() + ms, now;
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

/* Returns false if the program does not exist. */
bool init_recover_shell(const char *shell, const sigset_t *signals)
{
	int status = 127 << 8;
	pid_t pid;

	boot_say("starting %s; when it ends, the boot is tried again", shell);
	init_image_show();
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
	init_rest((uint64_t)seconds * 1000);
	init_recover_end(RB_AUTOBOOT);
}

void init_recover_end(unsigned how)
{
	struct nbd_diag d;

	if (process_sync(SYNC_MS, &d))
		boot_say("%s", d.text);
	reboot((int)how);
}

static _Noreturn void stay(void)
{
	boot_say("this cannot pass by itself: reboot with Ctrl-Alt-Del");
	for (;;)
		init_rest(3600000);
}

static unsigned seconds(unsigned ms)
{
	return (ms + 500) / 1000;
}

/* ms until the next try; sets *outage if the failure may pass. */
static unsigned choose_pause(struct nbd_retry *r, const struct failure *f,
			     bool *outage)
{
	int ms;

	if (!r->min) {
		r->min = PAUSE_MIN;
		r->max = PAUSE_MAX;
		nbd_retry_begin(r);
	}
	ms = nbd_retry_failed(r, f->err);
	*outage = ms >= 0 && !f->hopeless;
	return *outage ? (unsigned)ms
		       : nbd_retry_ms(PAUSE_SLOW, PAUSE_SLOW, 0, &r->random);
}

void init_recover(struct recovery *r, const struct failure *f,
		  void (*undo)(void *ctx, size_t at), void *ctx)
{
	bool outage;
	unsigned pause = choose_pause(&r->retry, f, &outage);
	/* before undo(): the user can examine the device and the root */
	bool shell = !outage && r->shell &&
		     init_recover_shell(r->shell, &r->signals);

	if (!f->hopeless)
		undo(ctx, f->at);
	if (shell && !f->hopeless)
		return;
	if (r->enough && r->enough(r->ctx, outage, &pause) && !f->hopeless)
		return;
	if (!outage && r->panic)
		init_recover_reboot(r->panic < 0 ? 0 : (unsigned)r->panic);
	if (f->hopeless)
		stay();
	if (outage)
		boot_say("this may pass: next try in %u s", seconds(pause));
	else
		boot_say("next try in %u s, in case the server is repaired; "
			 "Ctrl-Alt-Del reboots",
			 seconds(pause));
	init_rest(pause);
}
