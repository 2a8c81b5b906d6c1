/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PORT_UEFI_LIBC_STDLIB_H
#define PORT_UEFI_LIBC_STDLIB_H

int atoi(const char *s);

#endif
