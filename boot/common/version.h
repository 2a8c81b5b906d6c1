/* SPDX-License-Identifier: BSD-2-Clause */
/* Which program this is. */
#ifndef BOOT_COMMON_VERSION_H
#define BOOT_COMMON_VERSION_H

#include <stdint.h>

/* What `git describe` says of its source. */
extern const char boot_version[];

/* The date of its last commit, in s since 1970: no right clock is before it. */
extern const int64_t boot_built;

#endif
