/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds without several images: replaces image_metrics.c. */
#include "boot/cli/metrics.h"

void cli_image_metrics(void)
{
}
