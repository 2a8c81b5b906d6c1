/* SPDX-License-Identifier: BSD-2-Clause */
/* An output file while it is not complete: it has the name with COPY_PART. */
#ifndef BOOT_COPY_HIDDEN_H
#define BOOT_COPY_HIDDEN_H

#include "boot/copy/copy.h"

#include <limits.h>

/* That of the output file `name`.  False: there is no room for it. */
bool copy_hidden_name(char part[PATH_MAX], const char *name);

/*
 * Makes the output file s->name with these flags of open(2).  An empty file could
 * be taken for a copy, so it is hidden at once; but what another copy has left
 * there stays until there is something to write.  s->fd is -1 if it fails, and
 * errno says why.
 */
void copy_hidden_create(struct side *s, int flags);
/* Deletes an output file that was made. */
void copy_hidden_remove(const struct side *s);

/*
 * NBD_E_IN_USE: another copy writes the file.  The lock ends with the process,
 * whoever has inherited the descriptor.  Some file systems have no locks.
 */
int copy_hidden_lock(const struct side *s, struct nbd_diag *d);

#endif
