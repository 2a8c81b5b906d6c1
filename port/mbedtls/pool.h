/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of our own mbedTLS (config.h), in place of malloc(): a pool of
 * fixed size, which core dumps leave out.
 */
#ifndef PORT_MBEDTLS_POOL_H
#define PORT_MBEDTLS_POOL_H

#include <stddef.h>

/*
 * As calloc() and free(): zeroed, aligned to 16 bytes, NULL if there is no room.
 * Memory is wiped when it is freed.
 */
void *pool_calloc(size_t n, size_t size);
void pool_free(void *p);

#endif
