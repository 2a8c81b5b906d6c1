/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages: boot_say() writes to world.said. */
#ifndef TESTS_WORLD_SAY_H
#define TESTS_WORLD_SAY_H

#include "tests/world/world.h"

#endif
