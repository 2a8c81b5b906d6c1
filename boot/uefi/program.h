/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot.efi: what its files share. */
#ifndef BOOT_UEFI_PROGRAM_H
#define BOOT_UEFI_PROGRAM_H

#include "boot/words/conf.h"
#include "boot/uefi/cache.h"
#include "boot/uefi/initrd.h"
#include "boot/uefi/input.h"
#include "boot/uefi/nic.h"
#include "boot/uefi/session.h"
#include "port/uefi/disk.h"

/* The values of %m, %u, %s and %h. */
struct uefi_machine {
	char mac[18], uuid[37], serial[128];
};

/* An export as a disk. */
struct uefi_drive {
	struct efi_disk disk; /* first: it is found by its address */
	struct uefi_session session;
	struct uefi_cache cache;
	bool busy;  /* a request is under way */
	bool raise; /* requests run at EFI_TPL_CALLBACK */
};

/* Too large for the firmware's stack of 128 KiB. */
struct uefi_program {
	char text[CMDLINE_MAX + 4];   /* what to boot, as it was given */
	const char *source;	      /* "LoadOptions" ...: text is from it */
	char name[512];		      /* of a file: the source */
	uint8_t raw[4 * CMDLINE_MAX]; /* what was found: in any encoding */
	struct boot_conf conf;
	struct root_spec root; /* with the values of this machine */
	struct uefi_machine machine;
	struct uefi_net net;
	struct uefi_drive drive;
	struct uefi_session *waits; /* NULL: none has been opened */
	struct uefi_input kernel;   /* or the boot loader */
	struct uefi_initrds initrds;
	bool started;	 /* the disk was there */
	bool unnamed;	 /* the latest network names no server, nor do words */
	char server[16]; /* the boot server's address */
	char options[CMDLINE_MAX];  /* of what is started */
	efi_char wide[CMDLINE_MAX]; /* the same for the firmware */
	efi_event exit, pre_exit;
	uint64_t t_net, t_disk, t_start; /* ms of nbd_now_ms() */
};

/* ---- source.c ---- */

/*
 * Sets text and source from the first of these that has words: LoadOptions, the
 * variable NbdBoot, nbdboot.conf beside the program.  None: text is "".
 */
void uefi_source(struct uefi_program *p);
/* Asks for a URI at the console, for some seconds; false: no answer. */
bool uefi_source_ask(struct uefi_program *p);

/* ---- smbios.c ---- */

/* Sets env->value[], which point into m or to the lease. */
void uefi_machine(struct uefi_machine *m, struct root_env *env,
		  const struct uefi_net *n);

/* ---- drive.c ---- */

/* Connects to the first server of p->root and adds the disk. */
int uefi_drive_open(struct uefi_drive *drive, struct uefi_program *p,
		    struct nbd_diag *d);
void uefi_drive_close(struct uefi_drive *drive);

/* ---- start.c ---- */

/*
 * Starts what is on the disk.  Returns only if that failed or ended: 0, or an
 * error.
 */
int uefi_start(struct uefi_program *p, struct nbd_diag *d);

/* ---- handover.c ---- */

/* The words for the kernel, in p->options and p->wide. */
int uefi_handover_words(struct uefi_program *p, struct nbd_diag *d);
/* Sets the variable NbdBootLease: right before what is started. */
void uefi_handover_tell(const struct uefi_program *p);
/* Deletes it, as whoever comes next is not started by this program. */
void uefi_handover_forget(void);
/* Says goodbye to the server when the operating system takes over. */
int uefi_handover_watch(struct uefi_program *p, struct nbd_diag *d);
void uefi_handover_unwatch(struct uefi_program *p);

#endif
