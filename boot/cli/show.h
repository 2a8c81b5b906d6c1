/* SPDX-License-Identifier: BSD-2-Clause */
/* How commands print devices and their connections. */
#ifndef BOOT_CLI_SHOW_H
#define BOOT_CLI_SHOW_H

#include "boot/cli/cli.h"
#include "boot/device/device.h"

/* A line about a connection. */
void cli_put_link(const struct sockdiag_link *l);
/* The member ', "links": [...]'. */
void cli_put_json_links(const struct device *dev);

#endif
