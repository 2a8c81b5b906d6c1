/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entries of a GUID partition table (UEFI specification, 5.3).  The kernel
 * checks its sums before it makes partitions of it.
 */
#ifndef BOOT_INIT_GPT_H
#define BOOT_INIT_GPT_H

#include <stddef.h>
#include <stdint.h>

#include "port/port.h"

struct gpt {
	int fd;
	uint32_t sector;  /* bytes */
	uint32_t n, size; /* entries, of so many bytes */
	uint64_t table;	  /* sector of the first entry */
	uint64_t last;	  /* sector that partitions may use */
};

struct gpt_entry {
	unsigned char type[16], uuid[16]; /* as they are on the disk */
	uint64_t first, last;		  /* sectors, of it */
	uint64_t flags;
	char name[37]; /* "?" for each character that is not ASCII */
};

/*
 * Reads the header on fd, whose logical blocks have `sector` bytes.  Returns 0,
 * NBD_E_NOT_FOUND without one that can be used, or NBD_E_IO.  As for the kernel,
 * one counts only if the MBR has an entry that protects it.
 */
int init_gpt_open(struct gpt *g, int fd, uint32_t sector);

/* Finds a table for any size of sectors, which is g->sector then. */
bool init_gpt_find(struct gpt *g, int fd);

/*
 * Reads entry i, which is partition i + 1.  Returns 1; 0: it is not in use, or
 * there is none; or NBD_E_IO.
 */
int init_gpt_read(const struct gpt *g, unsigned i, struct gpt_entry *e);

#endif
