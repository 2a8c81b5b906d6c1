/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generic netlink: each socket() is an end of a pair, whose other end is the
 * kernel's and of the test, world.genl[i][1].  bind() does nothing, and of the
 * options of a socket only a group to join has a meaning: world.joined.
 */
#ifndef TESTS_WORLD_GENL_H
#define TESTS_WORLD_GENL_H

#include "tests/world/world.h"

/* Makes the pairs; a setup of cmocka returns its result. */
int world_genl_open(void);
/* Closes them, and fails the test if the product has not closed its own ends. */
int world_genl_close(void);

#endif
