/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Netlink as a listener sees it: nl_open() and nl_close() open and close
 * nothing, the descriptor is WORLD_NETLINK, and what nl_hear() hears is up to
 * world.hear.
 */
#ifndef TESTS_WORLD_NETLINK_H
#define TESTS_WORLD_NETLINK_H

#include "tests/world/world.h"

/* No poll() looks at it. */
enum { WORLD_NETLINK = -2 };

#endif
