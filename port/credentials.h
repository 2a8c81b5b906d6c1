/* SPDX-License-Identifier: BSD-2-Clause */
/* What TLS needs of a world: its files, and random numbers. */
#ifndef NBD_CREDENTIALS_H
#define NBD_CREDENTIALS_H

#include "port/port.h"

/*
 * Reads a whole file into static memory, appends a NUL, and points *text to it;
 * the next call overwrites it.  Returns its length, or NBD_E_CREDENTIAL.  A
 * secret file is refused if its group or others can read or write it.  So is a
 * file that is not a regular one, or larger than 1 MiB.
 */
int creds_read(const char *path, bool secret, char **text, struct nbd_diag *d);
/* Is there such a file or directory?  creds_read() may still fail. */
bool creds_exists(const char *path);
/* Wipes the file that creds_read() read last. */
void creds_wipe(void);

/* The path of the system's CA bundle, or NULL if there is none. */
const char *creds_system_ca(void);

/*
 * Random bytes that are fit for keys; waits until the generator is seeded.
 * False: there is none.
 */
bool creds_random(unsigned char *p, size_t len);

#endif
