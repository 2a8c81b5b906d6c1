/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware as a world: clock, console, memory, files, errors.  Results are
 * >= 0 or a negative enum nbd_err.
 *
 * A program runs in one firmware, which calls back without a context.  So what
 * the firmware gave at the start is one global object, `efi`.
 */
#ifndef PORT_UEFI_UEFI_H
#define PORT_UEFI_UEFI_H

#include "port/port.h"
#include "port/uefi/protocols.h"

extern struct efi_world {
	efi_handle image; /* this program */
	struct efi_system *st;
	struct efi_boot *bs;
	struct efi_runtime *rt;
	struct efi_loaded_image *self;
	uint64_t ticks_per_ms, start; /* of the CPU's counter */
	bool ends;		      /* ExitBootServices() has been called */
} efi;

/* Identifiers of the protocols; guids.c has the list. */
extern const struct efi_guid efi_guid_loaded_image, efi_guid_path,
	efi_guid_block_io, efi_guid_block_io2, efi_guid_volume,
	efi_guid_file_info, efi_guid_network, efi_guid_pxe,
	efi_guid_tcp4_binding, efi_guid_tcp4, efi_guid_http_binding,
	efi_guid_http, efi_guid_pci, efi_guid_load_file2, efi_guid_initrd,
	efi_guid_exit, efi_guid_pre_exit, efi_guid_global, efi_guid_nbdboot,
	efi_guid_smbios, efi_guid_smbios3;

/* Call it first, once; measures the clock for about 10 ms. */
efi_status efi_init(efi_handle image, struct efi_system *st);

/*
 * Halts the processor until its next interrupt: for a caller who knows that one will
 * come.  Returns at once if interrupts are masked, as at TPL_HIGH_LEVEL (UEFI 2.10,
 * 7.1).  WaitForEvent() would do it at TPL_APPLICATION alone, and a firmware's file
 * system reads at TPL_CALLBACK.
 */
void efi_halt(void);

/* The protocol of the handle, or NULL. */
void *efi_protocol(efi_handle h, const struct efi_guid *g);

/*
 * All handles with the protocol; returns their number, 0 if there is none.  The
 * caller gives *list to efi_free().
 */
size_t efi_handles(const struct efi_guid *g, efi_handle **list);
void efi_free(void *p);

/*
 * Pages of memory for good, NULL if there are none.  They are not zeroed, which
 * would be a tenth of the CPU time that a large file takes.
 */
void *efi_pages(size_t bytes);
void efi_free_pages(void *p, size_t bytes);

/* Fit for keys, by EFI_RNG_PROTOCOL; false: the firmware has none. */
bool efi_rng(void *to, size_t len);
/* Bits that nobody can guess, as far as the firmware has any. */
void efi_random(void *to, size_t len);

/* ---- console ---- */

/* Prints like nbd_putf(), with CR LF for each newline. */
void efi_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The next key that was pressed, without waiting; false: none. */
bool efi_key(struct efi_key *k);

/* ---- errors ---- */

/* The status as an error of the project. */
int efi_error(efi_status s);
/* "not found"; never NULL. */
const char *efi_text(efi_status s);

/* ---- paths ---- */

/* The path of a handle, or NULL. */
const struct efi_path *efi_path_of(efi_handle h);
/* Bytes of the path without its end node; 0 if it is malformed or too long. */
size_t efi_path_len(const struct efi_path *p);
/* True if `path` begins with `with`. */
bool efi_path_begins(const struct efi_path *path, const struct efi_path *with);
/*
 * Writes `base` and one more node (type, subtype, len bytes of data) with an
 * end node.  Returns the bytes written, or NBD_E_NO_MEMORY.
 */
int efi_path_add(void *to, size_t cap, const struct efi_path *base,
		 unsigned type, unsigned subtype, const void *data, size_t len);

/* ---- files ---- */

/*
 * UTF-8 to UCS-2, with '/' as '\\' in paths.  Returns the characters without
 * the NUL, or NBD_E_NO_MEMORY; characters that UCS-2 lacks become '?'.
 */
int efi_widen(efi_char *to, size_t cap, const char *from, bool path);

/*
 * Opens a file of the volume on h for reading.  Returns 0 with its size, or an
 * error.
 */
int efi_file_open(struct efi_file **f, uint64_t *size, efi_handle h,
		  const char *name);

#endif
