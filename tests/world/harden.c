/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/harden.h"

#include "boot/system/confine.h"
#include "boot/system/harden.h"

void __wrap_boot_harden(void);
void __wrap_boot_confine(uint32_t keep);
void __wrap_boot_log_to_kernel(void);

void __wrap_boot_harden(void)
{
	world.hardened++;
}

void __wrap_boot_confine(uint32_t keep)
{
	world.confined++;
	world.rights = keep;
}

void __wrap_boot_log_to_kernel(void)
{
	world.logs++;
}
