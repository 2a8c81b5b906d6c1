/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads the next kernel (kexec_file_load(2)), and unloads it again unless the
 * system ends:
 *
 *	load -> ask process 1 -> ... -> reboot(2) starts it
 *	  `-------- fails ----> unload
 */
#include "boot/reroot/kexec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/device/signals.h"
#include "boot/reroot/reroot.h"
#include "port/linux/file.h"

/* Some CPUs have no such call: then the kernel answers ENOSYS. */
#ifndef SYS_kexec_file_load
#define SYS_kexec_file_load (-1)
#endif

/*
 * The longest command line: x86's COMMAND_LINE_SIZE is 2048, of which the
 * kernel's bzImage64_load() wants 30 for the words of a crash kernel.
 */
#define LINE_LEN 2016
/* ms to wait for another load that is under way, and between tries. */
#define BUSY_MS	 5000
#define AGAIN_MS 20

#define SYSCTL	 "/proc/sys/kernel/kexec_load_"
#define LOCKDOWN "/sys/kernel/security/lockdown"

/* ---- the command line ---- */

int reroot_kexec_words(struct reroot_words *w, const char *line,
		       const char *words, const char *append,
		       struct nbd_diag *d)
{
	reroot_words_begin(w);
	reroot_words_rest(w, line);
	nbd_put(&w->o, words, strlen(words));
	if (append)
		nbd_putf(&w->o, " %s", append);
	if (reroot_words_end(w, d) || w->o.len > LINE_LEN)
		return nbd_diag(d, NBD_E_USAGE,
				"the command line of the next kernel would "
				"have %zu bytes or more, and can have %d",
				w->o.len, LINE_LEN);
	return NBD_OK;
}

/* ---- errors ---- */

static bool locked_down(void)
{
	char text[64];

	return file_read(AT_FDCWD, LOCKDOWN, text, sizeof(text)) > 0 &&
	       strstr(text, "[") && !strstr(text, "[none]");
}

/* EPERM has several reasons. */
static const char *who_forbids(void)
{
	char limit[16];

	if (file_number(AT_FDCWD, SYSCTL "disabled"))
		return "the sysctl kernel.kexec_load_disabled is 1, which only "
		       "a reboot can change";
	/* -1: any number */
	if (file_read(AT_FDCWD, SYSCTL "limit_reboot", limit, sizeof(limit)) >
		    0 &&
	    *limit == '0')
		return "the sysctl kernel.kexec_load_limit_reboot is 0, which "
		       "only a reboot can change";
	if (locked_down())
		return "this kernel is locked down (Secure Boot), and takes "
		       "only a kernel with a signature that it trusts";
	return "not permitted: this needs CAP_SYS_BOOT";
}

static const char *explain(int err)
{
	static const struct {
		int err;
		const char *why;
	} known[] = {
		{ ENOSYS, "this kernel lacks CONFIG_KEXEC_FILE: reboot, or "
			  "reroot without --kexec" },
		{ ENOEXEC, "not a kernel that this one can start (--kernel "
			   "names another)" },
		{ EKEYREJECTED,
		  "its signature is wrong, or cannot be checked" },
		{ ENOPKG, "this kernel lacks the algorithms of its signature" },
		{ ENOKEY, "it is signed by a key that this kernel does not "
			  "trust" },
		{ ENODATA, "it is not signed, and this kernel demands that" },
		{ EBADMSG, "its signature is broken" },
		{ ENOMEM, "not enough memory is free" },
		{ EADDRNOTAVAIL, "no free memory where it could start" },
		{ EBUSY, "another program is loading a kernel" },
		{ EINVAL, "the kernel refuses the file or its command line "
			  "(dmesg may tell)" },
	};

	if (err == EPERM)
		return who_forbids();
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].err == err)
			return known[i].why;
	return strerror(err);
}

/* ---- load and unload ---- */

/*
 * EBUSY: another load, or its end, is under way.  ETXTBSY: a process that can
 * write the copies was killed, but has not ended.
 */
static int call(int kernel, int initrd, const char *line, unsigned long flags)
{
	size_t len = line ? strlen(line) + 1 : 0;

	for (int ms = 0;; ms += AGAIN_MS) {
		if (!syscall(SYS_kexec_file_load, kernel, initrd, len, line,
			     flags))
			return 0;
		if ((errno != EBUSY && errno != ETXTBSY) || ms >= BUSY_MS)
			return -1;
		poll(NULL, 0, AGAIN_MS);
	}
}

/* Makes the copy read-only: the kernel loads no file that is open otherwise. */
static int reopen(int fd)
{
	char path[32];
	int only;

	nbd_fmt(path, sizeof(path), "/proc/self/fd/%d", fd);
	only = open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	return only;
}

static int load(struct reroot_kernel *k, const char *line, struct nbd_diag *d)
{
	bool initrd = k->path[REROOT_INITRD][0];
	int err = 0;

	for (unsigned i = 0; i < REROOT_FILES; i++)
		k->fd[i] = reopen(k->fd[i]);
	if (k->fd[REROOT_KERNEL] < 0 || k->fd[REROOT_INITRD] < 0 ||
	    call(k->fd[REROOT_KERNEL], k->fd[REROOT_INITRD], line,
		 initrd ? 0 : KEXEC_FILE_NO_INITRAMFS))
		err = errno;
	for (unsigned i = 0; i < REROOT_FILES; i++)
		if (k->fd[i] >= 0)
			close(k->fd[i]);
	return err ? nbd_diag(d, err == EPERM ? NBD_E_PERM : NBD_E_KERNEL,
			      "load %s of the new root: %s",
			      k->path[REROOT_KERNEL], explain(err))
		   : NBD_OK;
}

static void unload(void)
{
	if (call(-1, -1, NULL, KEXEC_FILE_UNLOAD))
		boot_say("the next kernel stays loaded: %s (kexec -u)",
			 strerror(errno));
}

/* ---- both ---- */

static int load_and_start(struct reroot_kernel *k, const char *line,
			  const struct device_signals *signals,
			  struct nbd_diag *d)
{
	bool initrd = k->path[REROOT_INITRD][0];
	int rc = load(k, line, d);

	if (rc)
		return rc;
	/* a kernel that stays loaded could be started by a later reboot */
	if (device_signals_came(signals)) {
		rc = nbd_diag(d, NBD_E_INTERRUPTED, "a signal came");
	} else {
		boot_say("all checks passed: this system ends now, and %s%s%s "
			 "starts",
			 k->path[REROOT_KERNEL], initrd ? " with " : "",
			 k->path[REROOT_INITRD]);
		rc = reroot_start(REROOT_KEXEC, d);
	}
	if (rc)
		unload();
	return rc;
}

int reroot_kexec(struct reroot_kernel *k, const char *words,
		 const struct device_signals *signals, struct nbd_diag *d)
{
	struct reroot_words w;
	char line[CMDLINE_MAX];
	int rc;

	if (file_read(AT_FDCWD, "/proc/cmdline", line, sizeof(line)) < 0)
		return nbd_diag(d, NBD_E_IO, "read /proc/cmdline: %s",
				strerror(errno));
	rc = reroot_kexec_words(&w, line, words, k->append, d);
	return rc ? rc : load_and_start(k, w.text, signals, d);
}
