/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that lists no devices does not name their users either.  The driver
 * decides whether there are any, but for devices of ioctls.
 */
#include "port/linux/nbdk.h"

enum nbdk_use nbdk_user(int index, int but, char text[NBDK_USER_MAX])
{
	(void)index, (void)but, (void)text;
	return NBDK_UNUSED;
}
