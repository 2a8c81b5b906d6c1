/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds that copy no root to a disk: replaces clones.c. */
#include "boot/cli/clones.h"

void cli_clone_text(int index)
{
	(void)index;
}

void cli_clone_json(int index)
{
	(void)index;
}

void cli_clone_metrics(char *const names[])
{
	(void)names;
}
