/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Ethernet controller of Stellaris LM3S microcontrollers (LM3S6965 data
 * sheet, chapter 15), polled.  Frames pass through two FIFOs, word by word.
 */
#ifndef PORT_METAL_STELLARIS_ETHER_H
#define PORT_METAL_STELLARIS_ETHER_H

#include "port/ether.h"

struct stellaris_ether {
	struct nbd_ether ether; /* the first: the callbacks cast */
	/* private */
	volatile uint32_t *regs;
};

/* Sets up the controller whose registers are at regs. */
void stellaris_ether_open(struct stellaris_ether *s, volatile uint32_t *regs,
			  const unsigned char mac[6]);

#endif
