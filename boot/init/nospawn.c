/* SPDX-License-Identifier: BSD-2-Clause */
/* A build whose steps start no process. */
#include "boot/init/spawn.h"

void init_spawn_stop(struct spawned *child)
{
	(void)child;
}
