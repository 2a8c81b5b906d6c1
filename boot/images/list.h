/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text that says which images a machine boots, in order of preference:
 *
 *	# a comment
 *	nbd://server/debian-2 mac=52:54:00:12:34:56 share=5
 *	nbd://server/debian-1 rev=2
 *
 * A line with conditions is for the machines for which one of them holds, and
 * one without for all.  Pure: the text is of a server, and is only compared and
 * copied.
 */
#ifndef BOOT_IMAGES_LIST_H
#define BOOT_IMAGES_LIST_H

#include <stdint.h>

#include "port/port.h"

/* Images for one machine, bytes of a URI (or several) with its NUL, and of the
 * text. */
#define IMAGES_MAX  8
#define IMAGES_URI  512
#define IMAGES_FILE 65536

struct images_list {
	unsigned n;
	char uri[IMAGES_MAX][IMAGES_URI];
	/* see images_id(); "": not given */
	char rev[IMAGES_MAX][32];
};

/* What the conditions compare; NULL: the machine has none. */
struct images_machine {
	const char *mac;  /* "52:54:00:12:34:56" */
	const char *uuid; /* as the firmware prints it */
};

/*
 * Parses len bytes at text, of which those from the first NUL on must all be
 * NULs: the padding of an export.  Sets l to the images of the machine m.
 * Returns 0, or NBD_E_USAGE, with the line and its mistake in d: nothing in a
 * text with a mistake counts.  The URIs are not parsed, but begin with nbd://
 * or nbds://.
 */
int images_parse(struct images_list *l, const char *text, size_t len,
		 const struct images_machine *m, struct nbd_diag *d);

/*
 * A number from 0 to 9999 that the machine always has: share=5 is for those
 * below 500.  By the MAC address, else by the UUID; 9999 without both.
 */
unsigned images_share(const struct images_machine *m);

/*
 * The name of an image in what a machine keeps: a hash of its URIs and of rev=.
 * Never 0.
 */
uint64_t images_id(const char *uri, const char *rev);

#endif
