/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mount(), umount() and umount2() mount nothing: each is a line of world.story,
 * with the words of mount(8) and umount(8).
 *
 *	mount -t TYPE -o FLAG,FLAG,DATA FROM TO
 *	umount -l PATH
 */
#ifndef TESTS_WORLD_MOUNT_H
#define TESTS_WORLD_MOUNT_H

#include "tests/world/story.h"
#include "tests/world/world.h"

#endif
