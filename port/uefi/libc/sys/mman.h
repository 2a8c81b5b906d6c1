/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PORT_UEFI_LIBC_SYS_MMAN_H
#define PORT_UEFI_LIBC_SYS_MMAN_H

#include <stddef.h>

#define MADV_DONTDUMP 0

/* There are no dumps. */
static inline int madvise(void *p, size_t len, int advice)
{
	(void)p, (void)len, (void)advice;
	return 0;
}

#endif
