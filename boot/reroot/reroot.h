/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Before a reroot, in the running system:
 *
 *	run.c      all of it, in this order
 *	words.c    kernel command lines for the new root and for the old one
 *	prove.c    would that boot succeed?  Nothing has changed if not
 *	network.c  the addresses of this machine as ip=
 *	old.c      the present root: words for the way back
 *	leave.c    files for process 1 (after.h)
 *	end.c      and the old system's end
 *	replace.c  or this program in the place of process 1
 *	soft.c     or the new root at the place where systemd takes it
 *	release.c  and what becomes of the old one's devices
 *	kexec.h    with another kernel
 */
#ifndef BOOT_REROOT_REROOT_H
#define BOOT_REROOT_REROOT_H

#include "boot/words/cmdline.h"
#include "boot/words/root.h"
#include "boot/device/signals.h"
#include "boot/init/overlay.h"
#include "boot/init/part.h"
#include "boot/init/spawn.h"
#include "boot/reroot/kexec.h"
#include "port/linux/sockdiag.h"

/* What the user wants. */
struct reroot_wish {
	const char *target;  /* "nbd://...", or "local:/dev/sda1" */
	const char *overlay; /* as nbdboot.overlay=; NULL: none */
	const char *part;    /* as nbdboot.part=; NULL: none */
	unsigned connections;
	/* of the file system on that device, in place of its name; NULL: none */
	const char *uuid;
	bool force;	 /* even without a way back */
	bool when_ready; /* waits until the proof succeeds */
	bool kexec;
	const char *kernel, *initrd, *append; /* NULL: not given */
};

/* A command line that is composed; always NUL-terminated. */
struct reroot_words {
	struct nbd_out o;
	char text[CMDLINE_MAX];
};

/* ---- run.c ---- */

/*
 * Moves the machine into another root: when it returns 0, the system is ending.
 * After an error all is as it was.
 */
int reroot_run(const struct reroot_wish *wish, struct nbd_diag *d);

/* ---- words.c: pure ---- */

void reroot_words_begin(struct reroot_words *w);
/* Ends it; NBD_E_USAGE if the words have no room. */
int reroot_words_end(struct reroot_words *w, struct nbd_diag *d);

/*
 * Copies words of the command line `line`: those that say how to connect
 * (nbdboot.tls=, nbdboot.io-timeout= ...), and with `network` those of the
 * network (ip=, vlan= ...).  Words about one root or its initramfs are not
 * copied, and of nbdboot.prefetch= not the list.
 */
void reroot_words_keep(struct reroot_words *w, const char *line, bool network);

/*
 * Copies the words of the command line `line` that are for the kernel or for
 * other programs, and not about a root or the network.  reroot_words_keep() may
 * copy others.
 */
void reroot_words_rest(struct reroot_words *w, const char *line);

/*
 * Copies the words of the command line `line` that say how a root from a server
 * is mounted: its options, and with `overlay` those of the overlay.
 */
void reroot_words_mount(struct reroot_words *w, const char *line, bool overlay);

/* "local:/dev/sda1", not a URI. */
bool reroot_is_local(const char *target);

/* Adds the words for the root.  NBD_E_USAGE: not a URI, or contradictory. */
int reroot_words_root(struct reroot_words *w, const struct reroot_wish *wish,
		      struct nbd_diag *d);

/* ---- network.c ---- */

/*
 * Adds ip= for the interface that has the address of this connection, and
 * nameserver=: DHCP if the address has an end, else the same address and
 * gateway.  With `anew` another kernel and any initramfs understand the words;
 * NBD_E_KERNEL: that interface is made by software.
 */
int reroot_network(struct reroot_words *w, const struct sockdiag_link *l,
		   bool anew, struct nbd_diag *d);

/* ---- prove.c ---- */

/* About 100 KB.  All zeros before the first proof. */
struct reroot_proof {
	struct cmdline cmd;
	struct root_spec spec, root;
	struct overlay overlay;
	struct sockdiag_link link; /* the connection; family 0: none */
	int index;		   /* N of the nbdN of the proof, or -1 */
	char dev[PART_PATH];
	char uuid[37];		     /* of its file system; "": none */
	bool soft;		     /* soft-reboot of its systemd enters it */
	struct reroot_kernel kernel; /* set by the caller: is one wanted? */
};

/*
 * Checks the words as the boot would use them: connects, finds the file system,
 * mounts it read-only where no other process sees it, checks its init, and
 * loads all modules that the boot needs.  Copies the kernel of the root if that
 * is wanted.  Then disconnects.  On a failure d has the reason.
 */
int reroot_prove(struct reroot_proof *p, const char *line, struct nbd_diag *d);

/* ---- old.c ---- */

/* Do the words of a boot name the server of its root? */
enum reroot_named {
	REROOT_UNNAMED,
	REROOT_ASKED /* DHCP does */,
	REROOT_NAMED
};

/* The root of the running system. */
struct reroot_old {
	/*
	 * "/dev/vda1"; of an overlay, that of its lower file system; "": it is
	 * in RAM, or unknown
	 */
	char device[32];
	char fstype[32];
	bool write;
	bool ram;     /* there is nothing to come back to */
	bool overlay; /* it was made by this program */
	bool nbd;     /* it is from a server */
	bool copy;    /* a copy of it in RAM (nbdboot.toram) */
	bool usr;     /* the line has words of its /usr */
	enum reroot_named named;
	/* it is verified, by a root hash that no word repeats */
	bool hidden_hash;
	/* on a volume of LVM or LUKS, or an array of md */
	bool volume;
	bool ours; /* its network was brought up by this program */
	/* that of the system, with the words of the firmware */
	char line[CMDLINE_MAX];
};

int reroot_old_read(struct reroot_old *o, struct nbd_diag *d);

/*
 * Composes the words for the way back, by which the root can be connected and
 * mounted again; none if it is in RAM.  NBD_E_KERNEL: there are none; with
 * `force` they are empty then.
 */
int reroot_old_words(struct reroot_words *w, const struct reroot_old *o,
		     bool force, struct nbd_diag *d);

/* ---- leave.c ---- */

#define INITTAB "/etc/inittab"

/* The name of the program of process 1, in path, its path; "": not known. */
const char *reroot_process_1(char path[256]);

/* Bytes of an inittab. */
#define INITTAB_MAX 16384

/* Reads it; each line of the text ends with a newline.  "": there is none. */
void reroot_read_inittab(char text[INITTAB_MAX]);

/*
 * What a reroot mounts, and the files that it leaves in /run, are for process
 * 1: joins its mount namespace and its root, unless this process has them.
 * NBD_E_PERM: it may not (CAP_SYS_ADMIN, CAP_SYS_CHROOT).
 */
int reroot_join(struct nbd_diag *d);
/* Writes a file; "" removes it. */
int reroot_put(const char *path, const char *text, struct nbd_diag *d);

/*
 * Puts this program into SHUTDOWN_HOME, where the old system executes it.
 * Returns 1 if the boot has not made that, and reroot_unprepare() undoes it.
 */
int reroot_prepare(struct nbd_diag *d);
void reroot_unprepare(void);

/*
 * Leaves the words of the new root to process 1, and those for the way back
 * ("": there is none).  The next reboot of the system is then a reroot.
 */
int reroot_store(const char *words, const char *old, struct nbd_diag *d);

/* ---- end.c ---- */

/*
 * Checks that process 1 is one that can be asked: this process, systemd,
 * busybox's init, or one that can be replaced.  NBD_E_KERNEL: it is another one.
 */
int reroot_may_start(struct nbd_diag *d);
/* Is process 1 a systemd that knows soft-reboot? */
bool reroot_has_soft(void);
/* By a reboot, by soft-reboot, or by the start of a kernel that is loaded. */
enum reroot_way { REROOT_DOWN, REROOT_SOFT, REROOT_KEXEC };
/* Asks it to end the system in that way. */
int reroot_start(enum reroot_way way, struct nbd_diag *d);

/* ---- keep.c ---- */

/*
 * Copies the files with the credentials of the root's servers to SHUTDOWN_HOME,
 * under the same path, unless `unless_kept` and they are there.  An error names
 * the file in d.  The watcher of the next boot reads them there.  Of a server
 * with a name /etc/hosts and resolv.conf are copied; a failure is only reported.
 */
int reroot_keep(const struct root_spec *r, bool unless_kept,
		struct nbd_diag *d);

/* ---- replace.c ---- */

/* Is process 1 that of sysvinit, OpenRC, runit or busybox? */
bool reroot_can_replace(void);
/* And does it have what reroot_replace() needs?  Changes nothing. */
int reroot_replace_check(struct nbd_diag *d);
/*
 * Makes this program process 1, which then ends the system by this verb of
 * `shutdown`.  On a failure the system is as it was.  Needs reroot_prepare().
 */
int reroot_replace(const char *verb, struct nbd_diag *d);

/*
 * Adds the commands for a reboot of an inittab of sysvinit: those of runlevel 6
 * that it waits for, one a line.
 */
void reroot_inittab(struct nbd_out *o, const char *text);

/* ---- soft.c ---- */

/* The unit of systemd 254 and later. */
#define REROOT_SOFT_UNIT "/usr/lib/systemd/system/soft-reboot.target"

struct reroot_soft {
	struct spawned release; /* runs reroot_release() */
};

/*
 * Connects and mounts the root of the words, an export, where soft-reboot takes
 * it, and starts its watchers, and a process that disconnects the devices of
 * the present system when that has ended.  The network must be up.  Needs
 * reroot_prepare().  After a failure nothing of it is left.  NBD_E_INTERRUPTED:
 * one of the signals came, which the caller holds.
 */
int reroot_soft(struct reroot_soft *s, const char *words,
		const struct device_signals *signals, struct nbd_diag *d);
/* Undoes all of it, after it succeeded. */
void reroot_soft_undo(struct reroot_soft *s);

/* ---- release.c ---- */

/* Devices of the present system; any others stay connected, with a message. */
#define REROOT_DEVICES 250

/*
 * Is ready (ready.h) when it has listed the devices that are connected.  When
 * process 1 has another root it disconnects them, each as soon as it is no
 * longer in use, and returns 0.
 */
int reroot_release(struct nbd_diag *d);

#endif
