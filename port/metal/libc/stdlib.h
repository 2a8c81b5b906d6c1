/* SPDX-License-Identifier: BSD-2-Clause */
/* lwIP names it in a function that this program does not contain. */
#ifndef METAL_STDLIB_H
#define METAL_STDLIB_H

int atoi(const char *p);

#endif
