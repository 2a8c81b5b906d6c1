/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No SHA-1.  mbedTLS must know it by name, as some CAs signed themselves with
 * it, but no such signature is checked: a trusted CA needs none, and no other
 * certificate may have one.  The real function has 5.4 KB.
 */
#include <mbedtls/error.h>
#include <mbedtls/sha1.h>

int mbedtls_internal_sha1_process(mbedtls_sha1_context *ctx,
				  const unsigned char data[64])
{
	(void)ctx;
	(void)data;
	return MBEDTLS_ERR_PLATFORM_HW_ACCEL_FAILED;
}
