/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses between AES and ChaCha20 by the CPU. */
#ifndef PORT_MBEDTLS_CPU_H
#define PORT_MBEDTLS_CPU_H

#include <stdbool.h>

/*
 * True if the CPU has AES instructions: then AES is fast, and its time does not
 * depend on the key.  Otherwise that is true of ChaCha20 only.
 */
bool cpu_has_aes(void);

#endif
