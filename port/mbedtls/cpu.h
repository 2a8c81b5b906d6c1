/* SPDX-License-Identifier: BSD-2-Clause */
/* What decides between AES and ChaCha20. */
#ifndef PORT_MBEDTLS_CPU_H
#define PORT_MBEDTLS_CPU_H

#include <stdbool.h>

/* AES is fast and takes the same time for every key; else ChaCha20 is. */
bool cpu_has_aes(void);

#endif
