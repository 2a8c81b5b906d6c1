/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hash of what a copy has written.  Pieces are hashed in the order of the
 * image, as they are copied; what was copied in another order, before, or twice
 * is read from the destination at the end.
 */
#ifndef BOOT_COPY_SUM_H
#define BOOT_COPY_SUM_H

#include "port/mbedtls/digest_stream.h"

#include <stdbool.h>
#include <stdint.h>

/* Room for the hash as text, with its NUL. */
#define COPY_HASH_TEXT (2 * DIGEST_STREAM + 1)

struct copy;
struct task;

struct copy_hash {
	struct digest_stream sha;
	uint64_t done; /* bytes from the start that are hashed */
	bool wanted;
	bool on_the_way; /* pieces wait for their turn, and are hashed */
	bool reads;	 /* a pass reads the destination */
};

/* Is t hashed next, or not at all? */
bool copy_hash_is_turn(const struct copy *c, const struct task *t);
/* Adds what of t is not hashed yet, in its turn. */
void copy_hash_take(struct copy *c, const struct task *t);
/* The destination was away: what it has is to be read. */
void copy_hash_forget(struct copy *c);
/* Reads what is not hashed yet. */
void copy_hash_rest(struct copy *c);
/* Ends the hash, and writes it in hexadecimal digits. */
void copy_hash_print(struct copy *c, char text[COPY_HASH_TEXT]);
/* Before the first pass; in_order: it is over all of the source. */
void copy_hash_begin(struct copy *c, bool in_order);

#endif
