/* SPDX-License-Identifier: BSD-2-Clause */
/* For messages of lwIP that are not compiled, and names of mbedTLS. */
#ifndef PORT_UEFI_LIBC_STDIO_H
#define PORT_UEFI_LIBC_STDIO_H

#include <stddef.h>

int snprintf(char *to, size_t cap, const char *fmt, ...);

#endif
