/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/lock.h"

#include "boot/device/device.h"

int __wrap_device_lock(int index);
void __wrap_device_unlock(int lock);

int __wrap_device_lock(int index)
{
	(void)index;
	world.locked++;
	return world.lock;
}

void __wrap_device_unlock(int lock)
{
	if (lock != world.lock || world.locked-- == 0)
		world_fail("a lock is released that is not held");
}
