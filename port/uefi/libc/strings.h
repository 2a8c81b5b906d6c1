/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PORT_UEFI_LIBC_STRINGS_H
#define PORT_UEFI_LIBC_STRINGS_H

#include <stddef.h>

int strncasecmp(const char *a, const char *b, size_t n);

#endif
