/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image of this boot, as /run has it, and the process that waits until it
 * is good:
 *
 *	init --image--> trial process --"good"--> kept: good
 *	                     |        '--"bad"--> kept: left
 *	                     '--- time is over --> reboot
 *
 * The file is text, a name and a value in each line:
 *
 *	image nbd://server/debian-2
 *	id 00d1e2f3a4b5c6d7
 *	state trial
 *	kept efi
 *	seconds 600
 *	left nbd://server/debian-3
 */
#ifndef BOOT_IMAGES_TRIAL_H
#define BOOT_IMAGES_TRIAL_H

#include "boot/images/keep_tries.h"

/*
 * In /run.  To the second, which only root can, "good" or "bad" is written, or
 * "end": another root takes the place of this one, without a boot.
 */
#define IMAGES_NOW     "nbdboot/image"
#define IMAGES_SAY     "nbdboot/image.good"
/* Bytes of the first. */
#define IMAGES_NOW_MAX 8192

/*
 * The value of a name in that text, up to the end of its line; *len is its
 * length.  NULL: it is not there.  at: NULL, or where to go on for the next of
 * this name, the last value.
 */
const char *images_now(const char *text, const char *name, const char *at,
		       size_t *len);

/* The same, copied; "" if it is missing or too long. */
const char *images_now_copy(const char *text, const char *name, char *buf,
			    size_t cap);

/* The number that a text of images_now() has in "id"; 0: none. */
uint64_t images_now_id(const char *text);

#ifdef CONFIG_BOOT_IMAGES

/* Says a word to the process.  Returns 0 or errno, of which ENXIO is that it ended. */
int images_say(const char *word);

#else

static inline int images_say(const char *word)
{
	(void)word;
	return -1;
}

#endif

/*
 * Is that process: reports that it is ready, and returns when the image is
 * good, or bad, or no longer in use.  NBD_E_NOT_FOUND: there is no image on trial.
 */
int images_trial(struct nbd_diag *d);

#endif
