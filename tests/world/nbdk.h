/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices of the driver: nbdk_next() lists world.devices of them, and nbdk_info()
 * has world.nbdk of each.
 */
#ifndef TESTS_WORLD_NBDK_H
#define TESTS_WORLD_NBDK_H

#include "tests/world/world.h"

#endif
