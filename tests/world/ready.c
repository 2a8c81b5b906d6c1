/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/ready.h"

#include "boot/system/ready.h"

void __wrap_boot_ready_tell(void);
void __wrap_boot_ready_tell(void)
{
	world.ready++;
}
