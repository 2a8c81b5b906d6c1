/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of a device, for people and for programs. */
#ifndef BOOT_CLI_LINKS_H
#define BOOT_CLI_LINKS_H

#include "boot/cli/cli.h"
#include "boot/device/device.h"

/* , "live": 1, ..., "links": [{...}]; nothing if that is not known. */
void cli_links_print_json(const struct device *dev);

#endif
