/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server that keeps the tries of images: images_keeper_open(), _read(), _write()
 * and _close().
 */
#ifndef TESTS_WORLD_TRIES_H
#define TESTS_WORLD_TRIES_H

#include "tests/world/world.h"

#endif
