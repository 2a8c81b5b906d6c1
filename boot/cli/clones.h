/* SPDX-License-Identifier: BSD-2-Clause */
/* How far the copy of a root to a disk is.  Nothing is printed if there is none. */
#ifndef BOOT_CLI_CLONES_H
#define BOOT_CLI_CLONES_H

#include "boot/cli/cli.h"

/* A line for nbdboot list. */
void cli_clone_text(int index);
/* A member of its JSON object. */
void cli_clone_json(int index);
/* For Prometheus, of the named devices, or of all if names[0] is NULL. */
void cli_clone_metrics(char *const names[]);

#endif
