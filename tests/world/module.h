/* SPDX-License-Identifier: BSD-2-Clause */
/* Modules: mod_load() notes it in world.loaded, and returns world.no_module. */
#ifndef TESTS_WORLD_MODULE_H
#define TESTS_WORLD_MODULE_H

#include "tests/world/world.h"

#endif
