/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/reroot/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot/device/settle.h"
#include "boot/init/shutdown.h"
#include "boot/net/kept.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/linux/process.h"
#include "port/text.h"

/* Of linux/close_range.h; and musl has no name for the call. */
#define CLOSE_ON_EXEC 4u
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* pages: too large for a stack; and reroot_beside_undo() needs them later */
static struct boot next;
static char words_of_next[CMDLINE_MAX];

/* A boot goes on without them, but here there is a system to stay in. */
static bool has_watchers(void)
{
	return next.cmd.no_watch ||
	       (next.watch.pid &&
		(next.overlay.index < 0 || next.watch_upper.pid) &&
		(next.tree.index < 0 || next.watch_tree.pid));
}

/* Undoes the steps before `at`, which no signal ends. */
static void undo(size_t at)
{
	next.signals = NULL;
	while (at)
		if (init_steps[--at]->when & STEP_BESIDE)
			init_step_undo(init_steps[at], &next);
}

void reroot_beside_undo(void)
{
	size_t at = 0;

	while (init_steps[at])
		at++;
	undo(at);
}

int reroot_beside(const char *words, const struct device_signals *signals,
		  struct nbd_diag *d)
{
	static char *argv[] = { NULL, NULL };
	static const struct plan plan = { .line = words_of_next,
					  .newroot = NEXTROOT,
					  .steps = init_steps };
	int rc = NBD_OK;
	size_t at;

	next.argv = argv;
	next.index = next.overlay.index = next.tree.index = -1;
	next.plan = &plan;
	next.by = (struct spawner){ .signals = &signals->before,
				    .leave = reroot_beside_leave };
	next.await = reroot_beside_await;
	next.signals = signals;
	next.lease_ends = reroot_beside_must_renew();
	nbd_fmt(words_of_next, sizeof(words_of_next), "%s", words);
	for (at = 0; !rc && init_steps[at]; at++) {
		if (init_steps[at]->when & STEP_BESIDE)
			rc = init_step_do(init_steps[at], &next, d);
		if (device_signals_came(signals))
			rc = nbd_diag(d, NBD_E_INTERRUPTED, "a signal came");
	}
	if (!rc && !has_watchers())
		rc = nbd_diag(d, NBD_E_KERNEL, "its watcher did not start");
	if (rc)
		undo(at);
	return rc;
}

void reroot_beside_await(const struct boot *b, const struct process *child,
			 unsigned ms)
{
	if (b->signals && device_settle_poll(child, b->signals->fd, -1,
					     (int)ms) == NBD_E_INTERRUPTED)
		kill(child->pid, SIGKILL);
}

/* ---- its processes ---- */

/* init_spawn_start() gives it these words. */
static bool is_renewer(const char *pid)
{
	static const char words[] = "@nbdboot\0renew";
	char path[32], line[sizeof(words) + 2];

	nbd_fmt(path, sizeof(path), "/proc/%s/cmdline", pid);
	return file_read(AT_FDCWD, path, line, sizeof(line)) == sizeof(words) &&
	       !memcmp(line, words, sizeof(words));
}

bool reroot_beside_must_renew(void)
{
	struct net_kept lease;
	struct nbd_diag d;
	struct dir dir;
	const char *name;
	bool must;
	int run = file_run();

	must = !net_kept_read(run, &lease, &d) &&
	       net_kept_seconds(&lease) != UINT32_MAX;
	close(run);
	dir_open(&dir, "/proc");
	while (must && (name = dir_next(&dir)))
		must = *name < '0' || *name > '9' || !is_renewer(name);
	dir_close(&dir);
	return must;
}

/*
 * systemd ends the processes of its services and sessions, so this one joins
 * process 1, as one of an initramfs does by itself.
 */
static bool join_process_1(void)
{
	static const char *const groups[] = {
		"/sys/fs/cgroup/init.scope/cgroup.procs",
		"/sys/fs/cgroup/systemd/init.scope/cgroup.procs",
	};

	return !file_write(AT_FDCWD, groups[0], "0", 1) ||
	       !file_write(AT_FDCWD, groups[1], "0", 1);
}

const char *reroot_beside_leave(void)
{
	static const char link[] = SHUTDOWN_HOME "/nbdboot";

	if (getppid() == 1)
		return NULL;
	if (symlink("shutdown", link) && errno != EEXIST)
		return "";
	process_detach(true);
	/* fails before Linux 5.9, harmlessly for most callers */
	syscall(SYS_close_range, 3, ~0u, CLOSE_ON_EXEC);
	return !chdir("/") && join_process_1() ? link : "";
}
