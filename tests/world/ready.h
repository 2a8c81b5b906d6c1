/* SPDX-License-Identifier: BSD-2-Clause */
/* boot_ready_tell() is only counted. */
#ifndef TESTS_WORLD_READY_H
#define TESTS_WORLD_READY_H

#include "tests/world/world.h"

#endif
