/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of mbedTLS (MBEDTLS_CONFIG_FILE): SHA-256 alone. */
#define MBEDTLS_SHA256_C
#define MBEDTLS_SHA256_SMALLER
#define MBEDTLS_PLATFORM_C
#define MBEDTLS_PLATFORM_NO_STD_FUNCTIONS
/* There is no heap, and the function that names it is left out by the linker. */
#define MBEDTLS_PLATFORM_MEMORY
#define MBEDTLS_PLATFORM_CALLOC_MACRO(n, size) NULL
#define MBEDTLS_PLATFORM_FREE_MACRO(p)	       ((void)(p))
