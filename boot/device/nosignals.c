/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds that only process 1 runs, which blocks all signals. */
#include "boot/device/signals.h"

void device_signals_hold(struct device_signals *s)
{
	s->fd = -1;
}

void device_signals_release(struct device_signals *s)
{
	(void)s;
}

bool device_signals_came(const struct device_signals *s)
{
	(void)s;
	return false;
}
