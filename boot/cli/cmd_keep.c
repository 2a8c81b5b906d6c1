/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot keep: stays, and keeps programs of the root in memory. */
#include "boot/cli/cli.h"
#include "boot/init/overlay.h"
#include "boot/keep/keep.h"
#include "boot/system/confine.h"
#include "boot/system/console.h"
#include "boot/system/harden.h"
#include "boot/system/ready.h"
#include "port/linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

struct options {
	const char *root;
	int percent;
};

static const struct cli_option options[] = {
	{ "root", 'r', "DIR", "the root whose files they are (default: /)",
	  CLI_FIELD(struct options, root) },
	{ "percent", 'p', "N", "of the memory, at most",
	  CLI_FIELD(struct options, percent), .min = 1, .max = 90,
	  .preset = 25 },
	{ 0 },
};

/* Links stay open. */
static void raise_limits(void)
{
	struct rlimit files = { 2 * KEEP_FILES, 2 * KEEP_FILES };

	if (setrlimit(RLIMIT_NOFILE, &files))
		boot_note("keep: RLIMIT_NOFILE: %s", strerror(errno));
}

/* What the overlay of init is made of. */
static int open_below(int root)
{
	struct statfs fs;

	if (fstatfs(root, &fs) || fs.f_type != OVERLAYFS_SUPER_MAGIC)
		return 0;
	return open(OVERLAY_LOWER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* What is known of process 1 when its /proc has another place. */
struct first {
	int dir, mounts; /* /proc/1, and the table of mounts; -1: not known */
};

static void open_first(struct first *f)
{
	f->dir = open("/proc/1", O_PATH | O_DIRECTORY | O_CLOEXEC);
	f->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
}

/* Has process 1 entered this root? */
static bool has_entered(const struct first *f, int root)
{
	struct stat of_first, st;

	return f->dir < 0 || f->mounts < 0 || fstat(root, &st) ||
	       fstatat(f->dir, "root", &of_first, 0) ||
	       (st.st_dev == of_first.st_dev && st.st_ino == of_first.st_ino);
}

/* Whoever enters a root changes the table of mounts, and mounts more later. */
static void await_entry(const struct first *f, int root)
{
	struct pollfd p = { f->mounts, POLLPRI, 0 };

	while (!has_entered(f, root))
		poll(&p, 1, -1);
	close(f->dir);
	close(f->mounts);
}

/*
 * The mark of init says that systemd is to spare the process when it ends: up to
 * the root of this one.  Later on the files that it has open would keep the root
 * from being unmounted.
 */
static void unmark(char *program)
{
	if (*program == '@')
		memmove(program, program + 1, strlen(program));
}

static int run(struct cli_call *call)
{
	/* pages: too large for a stack; a process that stays */
	static struct keep k;
	const struct options *o = call->options;
	const char *root = o->root ? o->root : "/";
	struct first first;
	int rc;

	boot_small_pages();
	raise_limits();
	open_first(&first);
	k.root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (k.root < 0)
		return nbd_diag(&call->d, file_error(errno), "open %s: %s",
				root, strerror(errno));
	k.below = open_below(k.root);
	k.max = file_meminfo("MemTotal:") * 1024 / 100 * (unsigned)o->percent;
	keep_open_disk(&k);
	boot_log_to_kernel();
	boot_harden();
	/* the root is open, so that it may move: its files are read meanwhile */
	boot_ready_tell();
	rc = keep_list(&k, call->words[0], &call->d);
	if (rc)
		return rc;
	boot_say("keep: %u files are in memory: %llu KiB", k.files,
		 (unsigned long long)(k.bytes / 1024));
	await_entry(&first, k.root);
	unmark(call->program);
	boot_confine(0);
	for (;;)
		poll(NULL, 0, -1);
}

const struct command cmd_keep = {
	.name = "keep",
	.group = CLI_WATCH,
	.summary = "stay, and keep programs of the root in memory",
	.help = "LIST    sshd,bash,/etc/pam.d: programs with their libraries,\n"
		"        files, and directories with their files\n",
	.operands = { 1, 1, { "LIST" } },
	.options = options,
	.run = run,
};
