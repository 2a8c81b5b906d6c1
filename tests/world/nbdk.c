/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/nbdk.h"

#include "core/nbd.h"

int __wrap_nbdk_info(int index, struct nbdk_info *info);
int __wrap_nbdk_next(struct nbdk_iter *it);

int __wrap_nbdk_info(int index, struct nbdk_info *info)
{
	world.nbdk_index = index;
	*info = world.nbdk;
	info->index = index;
	if (world.info)
		world.info(index, info);
	return world.nbdk_error;
}

int __wrap_nbdk_next(struct nbdk_iter *it)
{
	return it->at < world.devices ? it->at++ : NBD_E_NO_DEVICE;
}
