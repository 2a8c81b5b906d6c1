/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock and poll(): nbd_now_ns() is world.now, and a pause moves it on at
 * once.  A poll() of descriptors is the real one, as long as world.wait is NULL.
 */
#ifndef TESTS_WORLD_CLOCK_H
#define TESTS_WORLD_CLOCK_H

#include "tests/world/world.h"

/* The C library's, for hooks. */
int world_real_poll(struct pollfd *p, nfds_t n, int ms);

#endif
