/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of a boot.  Each feature has its own, NAME_step, beside its code;
 * build.mk lists those of this build with a number, which is the order
 * (steps-$(CONFIG_X) += 42-NAME).
 */
#ifndef BOOT_INIT_STEPS_H
#define BOOT_INIT_STEPS_H

#include "boot/words/cmdline.h"
#include "boot/words/root.h"
#include "boot/device/signals.h"
#include "boot/init/onfail.h"
#include "boot/init/overlay.h"
#include "boot/init/part.h"
#include "boot/init/preload.h"
#include "boot/init/spawn.h"
#include "boot/init/toram.h"
#include "boot/init/tree_export.h"
#include "boot/init/usr.h"
#include "boot/net/net.h"
#include "boot/prefetch/distance.h"
#include "boot/verity/wanted.h"
#include "port/linux/process.h"

/* ms: reading the device, mounting it (a journal may be replayed), undoing. */
#define STEP_READ_MS  60000
#define STEP_MOUNT_MS 300000
#define STEP_UNDO_MS  10000
/* ms: a day, for the copy of a root to RAM. */
#define STEP_COPY_MS  86400000

/* The root hash of an initramfs. */
#define INIT_ROOTHASH "/etc/nbdboot/roothash"

struct boot;
struct step;

/* What a boot is to do. */
struct plan {
	const char *line;    /* a kernel command line; NULL: the kernel's */
	const char *newroot; /* where the root is mounted until the switch */
	const struct step *const *steps; /* NULL at the end */
	/*
	 * Step `at` has failed, after so many tries: undoes all steps, ends the
	 * processes of b, and returns the next plan.  NULL: the same plan is
	 * tried again, as init_recover() does.
	 */
	const struct plan *(*on_failure)(struct boot *b, size_t at,
					 unsigned tries);
	bool (*enter)(void); /* for init_switch_root() */
};

/* Is the root a clone on a disk of this machine?  Other builds have none. */
#ifdef CONFIG_BOOT_CLONE
#define INIT_LOCAL(b) ((b)->local)
#else
#define INIT_LOCAL(b) false
#endif

/* Does a step or undoes it.  Returns 0, or an error with the reason in d. */
typedef int step_work(struct boot *b, struct nbd_diag *d);

/* The state of a boot. */
struct boot {
	int index;	      /* N of nbdN, < 0: not connected */
	char disk[LOOP_NAME]; /* "nbd0", or the loop device of a copy */
	char dev[PART_PATH];  /* "/dev/nbd0p2" */
	struct usr usr;	      /* whose dev is another one */
	bool part_read_only;  /* the table marks it so: see init_discover() */
	bool layered;	      /* dev is found already: see layers.h */
	/* the server to begin with: that of the last try sent a wrong block */
	unsigned first;
	bool local; /* it is a clone on a disk of this machine */
	/* changes that a child makes from here on are lost */
	step_work *work; /* the one that runs */
	struct cmdline cmd;
	struct root_spec spec; /* the root of the command line */
	struct root_spec root; /* with the values of DHCP, once connected */
	struct net net;
	struct overlay overlay;
	char **argv; /* the arguments that the kernel passes to init */
	struct recovery recovery;
	struct onfail onfail;
	pid_t hotplug; /* a child; 0: none */
	struct preload preload;
	/* processes that stay: for the root, the overlay and the lease */
	struct spawned watch, watch_upper, renew;
	char *outage, outage_text[32]; /* the option of `watch`, or NULL */
	uint64_t switched;	       /* nbd_now_ms() when the switch began */
	bool lease_ends;	       /* `renew` has to renew it */
	const struct plan *plan;
	struct spawner by; /* of the processes that stay */
	/* waits until the child of a step has a result; NULL: no need */
	void (*await)(const struct boot *b, const struct process *child,
		      unsigned ms);
	const struct device_signals *signals; /* of await(), or NULL */
	/* nbdboot.prefetch=; at the end, so that other builds are the same */
	struct fetcher {
		char below[PART_PATH]; /* what dev maps, or "" */
		bool wanted;	       /* by a word, or a list */
		bool near;	       /* so that nothing is fetched */
		struct prefetch_reads before[PREFETCH_DEVICES];
		bool found; /* the list of an earlier boot */
		struct spawned learn;
	} fetcher;
	struct verity_wanted verity;   /* what roothash= and others say */
	char roothash[VERITY_HEX + 1]; /* that of INIT_ROOTHASH */
	struct tree_export tree;
	struct spawned watch_tree;
	/* nbdboot.clone= */
	struct cloner {
		uint64_t tried; /* nbd_now_ms() of the first try, or 0 */
		struct spawned process;
		char option[160];
	} clone;
	struct spawned keep, trial;
	/* nbdboot.cache= */
	struct cacher {
		char image[64]; /* what the root is, or "": it is not looked at */
		int half;	/* in use, or < 0 */
		bool failed;	/* a try of this boot with it */
		struct spawned process;
		char option[80];
	} cache;
};

/* Not repeated when a failed boot is retried. */
#define STEP_ONCE   1u
/* Also beside a running system, which changes into this root. */
#define STEP_BESIDE 2u

struct step {
	const char *name;
	step_work *run, *undo;
	const char *hint; /* for the message; NULL: that of the error */
	/*
	 * ms for the child that runs or undoes the step, because both may block
	 * while the server is away.  0: process 1 does it, and it never blocks.
	 */
	unsigned run_ms, undo_ms;
	unsigned when; /* STEP_ONCE, STEP_BESIDE */
	/* where in struct boot the struct spawned is that it starts; 0: none */
	unsigned process; /* an undo stops it */
};

/* The steps of this build, NULL at the end (table.c). */
extern const struct step *const init_steps[];
/* For plans with other steps. */
extern const struct step init_kernel_step, init_switch_step;
step_work init_do_mount, init_undo_mount, init_do_init;

/* Disconnects nbdN, unless *index is -1 already. */
int init_disconnect(int *index, struct nbd_diag *d);
/* What DHCP says of the root. */
struct root_env init_root_env(const struct boot *b);
/*
 * Makes r from the URI of an export with a text, for this machine.  One at a
 * time: r points to what the next call changes.
 */
int init_expand_export(struct root_spec *r, const struct boot *b,
		       const char *uri, struct nbd_diag *d);

/* Does or undoes a step, in a child if it may block. */
int init_step_do(const struct step *s, struct boot *b, struct nbd_diag *d);
void init_step_undo(const struct step *s, struct boot *b);
/* Undoes the steps of the boot (ctx) from `at` back to the first. */
void init_undo(void *ctx, size_t at);

#endif
