/* SPDX-License-Identifier: BSD-2-Clause */
/* A reboot may be a reroot. */
#include "boot/cli/next.h"
#include "boot/reroot/after.h"

const struct shutdown_next *const cli_next = &reroot_after;
