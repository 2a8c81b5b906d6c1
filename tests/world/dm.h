/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The device mapper: dm_open(), dm_close(), dm_load() and dm_resume() of any
 * mapping.
 */
#ifndef TESTS_WORLD_DM_H
#define TESTS_WORLD_DM_H

#include "tests/world/world.h"

#endif
