/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mkdir(), symlink(), unlink() and chdir() change nothing: each is a line of
 * world.story, with the words of the shell.
 *
 *	mkdir -m MODE PATH	ln -s TO PATH	rm PATH	cd PATH
 *
 * With WORLD_REAL as world.others they are those of this machine, as open() is: in
 * world.run in place of /run, and with the target of world_link().
 */
#ifndef TESTS_WORLD_TREE_H
#define TESTS_WORLD_TREE_H

#include "tests/world/file.h"
#include "tests/world/story.h"
#include "tests/world/world.h"

#endif
