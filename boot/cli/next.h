/* SPDX-License-Identifier: BSD-2-Clause */
/* What `nbdboot shutdown` may do in place of a reboot. */
#ifndef BOOT_CLI_NEXT_H
#define BOOT_CLI_NEXT_H

#include "boot/init/shutdown.h"

extern const struct shutdown_next *const cli_next;

#endif
