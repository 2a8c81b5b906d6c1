/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a machine remembers of images: the one that was good, and how often
 * others were tried.
 *
 *	new --boot--> tried once --boot--> tried twice --boot--> left: the next
 *	                  `----- good -----'----> good
 *
 * Pure.  It is kept as text:
 *
 *	nbdboot-images 1
 *	good 00d1e2f3a4b5c6d7
 *	tried 1122334455667788 2
 *	end
 */
#ifndef BOOT_IMAGES_TRIES_H
#define BOOT_IMAGES_TRIES_H

#include "boot/images/list.h"

/* Boots of an image that never was good, after which it is left. */
#define IMAGES_TRIES 2
/* Bytes of the text, with NULs behind it. */
#define IMAGES_TEXT  512

struct images_tries {
	uint64_t good; /* images_id(); 0: none */
	unsigned n;
	struct images_tried {
		uint64_t id;
		unsigned times; /* 1 to IMAGES_TRIES */
	} tried[IMAGES_MAX];	/* the oldest first */
};

/*
 * Parses a text of IMAGES_TEXT bytes.  All NULs: a machine that has tried
 * nothing.  Returns 0, or NBD_E_PARAM, with *t as for that.
 */
int images_tries_parse(struct images_tries *t, const char *text);
/* Writes all IMAGES_TEXT bytes. */
void images_tries_print(const struct images_tries *t, char *text);

/* Takes 16 hexadecimal digits of a text with a NUL; 0: they are not there. */
uint64_t images_take_id(const char **p);

/* 0 to IMAGES_TRIES. */
unsigned images_tried(const struct images_tries *t, uint64_t id);
/* Sets it.  If there is no room, the oldest is forgotten. */
void images_set_tried(struct images_tries *t, uint64_t id, unsigned times);
/* The image is good: its tries are forgotten. */
void images_set_good(struct images_tries *t, uint64_t id);

/*
 * Which of n > 0 images to boot: the first that is good or may be tried, or
 * whose last try is that of this boot (counted).  One that failed IMAGES_TRIES
 * times in this boot is passed over.  If all are, or were, the one that failed
 * least in this boot, and of those the last.
 */
unsigned images_choose(const struct images_tries *t, const uint64_t id[],
		       const bool counted[], const unsigned char failed[],
		       unsigned n);

#endif
