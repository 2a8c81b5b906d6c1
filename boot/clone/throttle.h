/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the kernel copies: the share of time in which dm-mirror may
 * (raid1_resync_throttle of the module, for all mirrors of the machine).
 */
#ifndef BOOT_CLONE_THROTTLE_H
#define BOOT_CLONE_THROTTLE_H

#include "port/port.h"

struct clone_throttle {
	unsigned rate;		    /* MiB/s at most; 0: what programs leave */
	unsigned before;	    /* the share that was set, in percent */
	unsigned share;		    /* in use now */
	uint64_t sectors, used, ms; /* at the last look */
};

/* Sets the share, and remembers the one before. */
void clone_throttle_begin(struct clone_throttle *throttle, unsigned rate);
/*
 * So many sectors are copied, and `used` is another number than before if
 * programs have used the root.  Corrects the share: with a rate about once a
 * second, and else at once.
 */
void clone_throttle_keep(struct clone_throttle *throttle, uint64_t sectors,
			 uint64_t used);
void clone_throttle_end(const struct clone_throttle *throttle);

#endif
