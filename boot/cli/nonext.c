/* SPDX-License-Identifier: BSD-2-Clause */
/* A reboot is a reboot in a build without reroot. */
#include "boot/cli/next.h"

const struct shutdown_next *const cli_next = NULL;
