/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/sockdiag.h"

#include "port/linux/sockdiag.h"

int __wrap_sockdiag_tag(int fd, int index);
int __wrap_sockdiag_tag(int fd, int index)
{
	world.tagged[world.tags++ % WORLD_TAGS] = fd;
	world.tag = index;
	return world.tag_error;
}
