/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device mapper: dm_open(), dm_open_at(), dm_close(), dm_find(), dm_load()
 * and dm_resume() of any mapping.  A program that leaves it open fails at its end.
 */
#ifndef TESTS_WORLD_DM_H
#define TESTS_WORLD_DM_H

#include "tests/world/world.h"

#endif
