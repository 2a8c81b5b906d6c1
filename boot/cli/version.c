/* SPDX-License-Identifier: BSD-2-Clause */
/* Version and date, alone: only this object depends on the tree's state. */
#include "boot/cli/cli.h"

const char cli_version[] = NBDBOOT_VERSION;
const int64_t secure_built = NBDBOOT_BUILT;
