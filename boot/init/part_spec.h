/* SPDX-License-Identifier: BSD-2-Clause */
/* How people name a partition of a disk. */
#ifndef BOOT_INIT_PART_SPEC_H
#define BOOT_INIT_PART_SPEC_H

#include "port/port.h"

enum part_by { PART_NUMBER, PART_UUID, PART_NAME, PART_FS_LABEL, PART_FS_UUID };

struct part_spec {
	enum part_by by;
	const char *value; /* behind the '=', in the text */
	long number;	   /* if it is one, from 1 to 255 */
};

/*
 * Parses "2", "PARTUUID=...", "PARTLABEL=...", "LABEL=..." or "UUID=...", the
 * value of `word`.  Returns 0, or NBD_E_USAGE with the reason in d.
 */
int init_part_spec(struct part_spec *s, const char *word, const char *text,
		   struct nbd_diag *d);

#endif
