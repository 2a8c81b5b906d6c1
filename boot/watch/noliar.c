/* SPDX-License-Identifier: BSD-2-Clause */
/* A build whose watcher leaves wrong blocks to the kernel's message. */
#include "boot/watch/liar.h"

int watch_liar_open(struct watch_liar *l, int devices)
{
	(void)l, (void)devices;
	return -1;
}

void watch_liar_hear(void *ctx, const char *text, size_t n)
{
	(void)ctx, (void)text, (void)n;
}

void watch_liar_look(struct watch_liar *l, struct device *dev,
		     struct nbd_diag *d)
{
	(void)l, (void)dev, (void)d;
}
