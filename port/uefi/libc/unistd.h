/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PORT_UEFI_LIBC_UNISTD_H
#define PORT_UEFI_LIBC_UNISTD_H

/* Bytes. */
static inline int getpagesize(void)
{
	return 4096;
}

#endif
