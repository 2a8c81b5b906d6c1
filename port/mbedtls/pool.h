/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of the bundled mbedTLS (config.h), in place of malloc(): a pool of
 * fixed size that is excluded from core dumps.
 */
#ifndef PORT_MBEDTLS_POOL_H
#define PORT_MBEDTLS_POOL_H

#include <stddef.h>

/*
 * Like calloc() and free(): the memory is zeroed and aligned to 16 bytes; NULL
 * if there is no room.  Freed memory is wiped.
 */
void *pool_calloc(size_t n, size_t size);
void pool_free(void *p);

#endif
