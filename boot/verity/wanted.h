/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel command line says of a verified root, or of a verified /usr:
 * systemd's words (systemd-veritysetup-generator(8), the options of
 * veritytab(5)) and nbdboot.verity=.
 */
#ifndef BOOT_VERITY_WANTED_H
#define BOOT_VERITY_WANTED_H

#include "port/port.h"

/* Bytes of the longest hash (SHA-512) and of the longest salt. */
#define VERITY_DIGEST 64
#define VERITY_SALT   256
/* A number that was not given. */
#define VERITY_UNSET  UINT64_MAX
/* Room for a hash as text, and for a part as init_part_find() takes it. */
#define VERITY_HEX    (2 * VERITY_DIGEST + 1)
#define VERITY_PART   (9 + 36 + 1)
/* Room for a part that is named: a label has 36 characters. */
#define VERITY_NAMED  (10 + 4 * 36 + 1)

struct verity_words {
	const char *of;	     /* "root" or "usr", as in the names of words */
	const char *root;    /* roothash= */
	const char *data;    /* systemd.verity_root_data=, or NULL */
	const char *hash;    /* systemd.verity_root_hash=, or NULL */
	const char *options; /* systemd.verity_root_options=, or NULL */
	const char *ours;    /* nbdboot.verity=, or NULL */
};

struct verity_wanted {
	const char *of; /* as that of the words */
	uint8_t root[VERITY_DIGEST];
	unsigned digest; /* bytes of it: 32 or 64; 0: nothing is verified */
	/* the parts of data and hashes; "": all of the disk; NULL: not given */
	const char *data, *hash;
	const char *tree; /* URIs of an export with the hashes; NULL: none */
	bool bare;	  /* there is no superblock */
	bool fec;	  /* there are codes that correct errors, */
	char codes[VERITY_NAMED]; /* in this part; "": all of the disk */
	uint64_t codes_at;	  /* bytes before them */
	unsigned roots;		  /* of Reed and Solomon's code: 2 to 24 */
	uint64_t data_block, hash_block, data_blocks, hash_offset;
	uint8_t salt[VERITY_SALT];
	unsigned salt_len;
	bool salted;	    /* a salt was given, maybe an empty one */
	bool zero;	    /* blocks of zeros are not read */
	const char *policy; /* for the table; "": a read fails */
};

/*
 * Parses them; strings of words have to outlive w.  NBD_E_USAGE: d says what
 * is wrong, or which option is not possible here, and why.
 */
int verity_wanted(struct verity_wanted *w, const struct verity_words *words,
		  struct nbd_diag *d);

/*
 * Takes a path of udev, or a word of mount(8), as the name of a part by the
 * partition table; sets *part to a piece of value, "": all of the disk.  Messages
 * begin with the word, and w->of in place of a star in it.
 */
int verity_named(const struct verity_wanted *w, const char **part,
		 const char *word, const char *value, struct nbd_diag *d);

/* "sha256" or "sha512" */
const char *verity_algorithm(const struct verity_wanted *w);

/*
 * The partitions of a root hash (Discoverable Partitions Specification): their
 * UUIDs are its first and its last 128 bits.  Writes "PARTUUID=...".
 */
void verity_part(char part[VERITY_PART], const struct verity_wanted *w,
		 bool last);

/* The first len bytes as text. */
void verity_hex(char *text, const uint8_t *p, size_t len);
/* Returns the bytes that len digits are, at most `most`; -1: they are not. */
int verity_unhex(uint8_t *to, size_t most, const char *p, size_t len);

#endif
