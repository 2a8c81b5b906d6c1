/* SPDX-License-Identifier: BSD-2-Clause */
/* A process keeps its rights. */
#include "boot/system/confine.h"

void boot_confine(uint32_t keep)
{
	(void)keep;
}
