/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open() knows the files of world.files first; world.others says what others are.
 * A text is opened as a file in memory; of a link, the target is opened with the
 * flags of the caller.
 */
#ifndef TESTS_WORLD_OPEN_H
#define TESTS_WORLD_OPEN_H

#include "tests/world/file.h"
#include "tests/world/world.h"

#endif
