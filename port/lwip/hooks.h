/* SPDX-License-Identifier: BSD-2-Clause */
/* What lwIP calls of ours. */
#ifndef PORT_LWIP_HOOKS_H
#define PORT_LWIP_HOOKS_H

#include <stdint.h>

/* From the seed of the stack (lwip.h), 0 before there is one. */
uint32_t lwnet_random(void);

#endif
