/* SPDX-License-Identifier: BSD-2-Clause */
/* device_lock() and device_unlock() are counted, and held by nobody else. */
#ifndef TESTS_WORLD_LOCK_H
#define TESTS_WORLD_LOCK_H

#include "tests/world/world.h"

#endif
