/* SPDX-License-Identifier: BSD-2-Clause */
/* What a kernel or an archive has to be: kernel=NAME,sha256=HASH. */
#ifndef BOOT_WORDS_HASH_H
#define BOOT_WORDS_HASH_H

#include "port/port.h"

/*
 * Cuts ",sha256=" and the hash off a value: *hash is its 64 digits, which are in
 * value, or NULL if there is none.  NBD_E_USAGE: it is no hash, or this build
 * checks none.
 */
int boot_hash_split(char *value, const char **hash, struct nbd_diag *d);

/*
 * NBD_E_PERM: len bytes at p are not those of the hash, as
 * boot_hash_split() found it.
 */
int boot_hash_check(const char *hash, const void *p, size_t len,
		    struct nbd_diag *d);

#endif
