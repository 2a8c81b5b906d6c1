/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/run.h"

int __wrap_file_run(void);
int __wrap_file_run(void)
{
	return world.run_fd;
}
