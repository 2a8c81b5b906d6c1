/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of one boot, or of two, as a picture. */
#ifndef BOOT_CLI_CHART_H
#define BOOT_CLI_CHART_H

#include "boot/cli/cli.h"
#include "boot/system/times.h"

/* The first start, and the ms from there to the last end (at least 1). */
struct cli_span {
	int32_t first, all;
};

struct cli_span cli_span(const struct times *t);

/* The first step of that name, or NULL; t may be NULL. */
const struct times_step *cli_same_step(const struct times *t, const char *name);

/* "2.06 s" */
#define CLI_SECONDS	   "%d.%02d s"
#define CLI_AS_SECONDS(ms) (int)((ms) / 1000), (int)((ms) % 1000 / 10)

/* Prints an SVG 1.1 document.  other: the boot to compare with, or NULL. */
void cli_chart(const struct times *t, const struct times *other);

#endif
