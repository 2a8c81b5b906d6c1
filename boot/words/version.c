/* SPDX-License-Identifier: BSD-2-Clause */
/* Version and date, alone: only this object depends on the tree's state. */
#include "boot/words/version.h"

const char boot_version[] = NBDBOOT_VERSION;
const int64_t boot_built = NBDBOOT_BUILT;
