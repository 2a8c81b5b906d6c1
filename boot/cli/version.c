/* SPDX-License-Identifier: BSD-2-Clause */
/* The version, alone: only this object depends on the state of the tree. */
#include "boot/cli/cli.h"

const char cli_version[] = NBDBOOT_VERSION;
