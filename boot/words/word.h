/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of the kernel command line, in one table.  Each feature has a part
 * of it, NAME_words[], beside its code; build.mk lists the parts of this build
 * (words-$(CONFIG_X) += NAME).
 */
#ifndef BOOT_WORDS_WORD_H
#define BOOT_WORDS_WORD_H

#include "boot/words/cmdline.h"

/* The kind of value that a word takes, and the type of its field. */
enum word_kind {
	WORD_OTHER,  /* the parser of the command line ignores it */
	WORD_TEXT,   /* any text; const char * */
	WORD_MAYBE,  /* the same, "" if it is missing */
	WORD_SWITCH, /* the same, "" for yes as well, and NULL for no */
	WORD_YES,    /* nothing, or 0 for no; bool */
	WORD_NO,     /* the opposite */
	WORD_NUMBER, /* a number from min to max (0: INT32_MAX); int */
	WORD_REQUIRE /* "require"; bool */
};

/*
 * What a word is about.  None of these: it is for the kernel, or for other
 * programs, like each word that the table does not have.
 */
enum word_scope {
	WORD_ROOT = 1,	  /* one root: another one has words of its own */
	WORD_NETWORK = 2, /* the network of the machine */
	WORD_OURS = 4,	 /* this program: each word that begins with nbdboot. */
	WORD_ONCE = 8,	 /* one root or its initramfs: for this boot only */
	WORD_MOUNT = 16, /* how the root is mounted */
	/* nbdboot.efi obeys it, and the operating system does not need it */
	WORD_FIRMWARE = 32,
	/* for each root; but a path or a URI behind it is of one */
	WORD_BARE = 64,
	/* what may have a password: SCHEME:USER:PASSWORD@..., options of a mount */
	WORD_USER = 128,
	WORD_OPTIONS = 256
};

struct word {
	const char *name; /* NULL: the end */
	uint16_t field;	  /* its offset in struct cmdline */
	uint16_t scope;
	uint8_t kind, min, max;
};

#define WORD(name, field, kind, scope)                                   \
	{                                                                \
		name, offsetof(struct cmdline, field), scope, kind, 0, 0 \
	}
#define WORD_RANGE(name, field, scope, min, max)                           \
	{                                                                  \
		name, offsetof(struct cmdline, field), scope, WORD_NUMBER, \
			min, max                                           \
	}
#define WORD_NAME(name, scope)                   \
	{                                        \
		name, 0, scope, WORD_OTHER, 0, 0 \
	}
#define WORD_END                    \
	{                           \
		NULL, 0, 0, 0, 0, 0 \
	}

/* Are the names equal?  Like the kernel, treats '-' and '_' as equal. */
bool boot_words_same(const char *a, const char *b);

/* NULL: the table does not have this name. */
const struct word *boot_words_find(const char *name);

/*
 * The scopes of a word of a command line, NAME or NAME=VALUE, of which at most
 * len bytes are looked at.
 */
unsigned boot_words_scope(const char *word, size_t len);

#endif
