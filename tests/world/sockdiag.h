/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks of sockets: sockdiag_tag() is noted, and returns world.tag_error. */
#ifndef TESTS_WORLD_SOCKDIAG_H
#define TESTS_WORLD_SOCKDIAG_H

#include "tests/world/world.h"

#endif
