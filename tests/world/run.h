/* SPDX-License-Identifier: BSD-2-Clause */
/* file_run() returns world.run_fd. */
#ifndef TESTS_WORLD_RUN_H
#define TESTS_WORLD_RUN_H

#include "tests/world/world.h"

#endif
