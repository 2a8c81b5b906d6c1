/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration of mbedTLS 3.6 (MBEDTLS_CONFIG_FILE): a TLS 1.2 client
 * with certificates and pre-shared keys, and only the suites whose records
 * kernel TLS can take over.  No files, no sockets, no heap.
 */
#ifndef PORT_MBEDTLS_CONFIG_H
#define PORT_MBEDTLS_CONFIG_H

/* Platform: a clock for certificates, and a pool of fixed size for memory. */
#define MBEDTLS_HAVE_ASM
#define MBEDTLS_HAVE_TIME
#define MBEDTLS_HAVE_TIME_DATE
/* Firmware has none, and only tickets ask for milliseconds. */
#ifndef CONFIG_PORT_TLS_RESUME
#define MBEDTLS_PLATFORM_MS_TIME_ALT
#endif
#define MBEDTLS_PLATFORM_C
#define MBEDTLS_PLATFORM_MEMORY
#define MBEDTLS_PLATFORM_CALLOC_MACRO pool_calloc
#define MBEDTLS_PLATFORM_FREE_MACRO   pool_free

/* The protocol.  No renegotiation: Finished ends the handshake. */
#define MBEDTLS_SSL_TLS_C
#define MBEDTLS_SSL_CLI_C
#define MBEDTLS_SSL_PROTO_TLS1_2
#define MBEDTLS_SSL_EXTENDED_MASTER_SECRET
#define MBEDTLS_SSL_SERVER_NAME_INDICATION
#define MBEDTLS_SSL_ALL_ALERT_MESSAGES
#define MBEDTLS_SSL_KEEP_PEER_CERTIFICATE
/* CREDS_PSK_MAX; GnuTLS's tools make keys of up to 64 bytes. */
#define MBEDTLS_PSK_MAX_LEN 64

/* Suites.  suite.c chooses those that are offered, and their order. */
#define MBEDTLS_SSL_CIPHERSUITES 0
#define MBEDTLS_KEY_EXCHANGE_ECDHE_ECDSA_ENABLED
#define MBEDTLS_KEY_EXCHANGE_ECDHE_RSA_ENABLED
#define MBEDTLS_KEY_EXCHANGE_ECDHE_PSK_ENABLED
#define MBEDTLS_KEY_EXCHANGE_PSK_ENABLED
#define MBEDTLS_CIPHER_C
#define MBEDTLS_AES_C
#define MBEDTLS_AESNI_C
#define MBEDTLS_GCM_C
#define MBEDTLS_CHACHA20_C
#define MBEDTLS_POLY1305_C
#define MBEDTLS_CHACHAPOLY_C
#define MBEDTLS_MD_C
#define MBEDTLS_SHA256_C
#define MBEDTLS_SHA384_C
#define MBEDTLS_SHA512_C
/* Its name alone (sha1.c): some CAs signed themselves with it. */
#define MBEDTLS_SHA1_C
#define MBEDTLS_SHA1_PROCESS_ALT
#define MBEDTLS_SHA256_SMALLER
#define MBEDTLS_SHA512_SMALLER

/* Key exchange and signatures. */
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECDH_C
#define MBEDTLS_ECDSA_C
#define MBEDTLS_RSA_C
#define MBEDTLS_PKCS1_V15
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECP_DP_SECP384R1_ENABLED
#define MBEDTLS_ECP_DP_SECP521R1_ENABLED
#define MBEDTLS_ECP_DP_CURVE25519_ENABLED
#define MBEDTLS_ECP_NIST_OPTIM
#define MBEDTLS_ECP_FIXED_POINT_OPTIM 0

/* Certificates and keys, in PEM. */
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#define MBEDTLS_OID_C
#define MBEDTLS_BASE64_C
#define MBEDTLS_PEM_PARSE_C
#define MBEDTLS_PK_C
#define MBEDTLS_PK_PARSE_C
#define MBEDTLS_X509_USE_C
#define MBEDTLS_X509_CRT_PARSE_C

#ifdef CONFIG_PORT_TLS_RESUME
#define MBEDTLS_SSL_SESSION_TICKETS
#endif

#ifdef CONFIG_PORT_TLS13
/* Its keys are PSA's, and an RSA server signs by RSA-PSS. */
#define MBEDTLS_SSL_PROTO_TLS1_3
#define MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_EPHEMERAL_ENABLED
#define MBEDTLS_SSL_TLS1_3_KEY_EXCHANGE_MODE_PSK_EPHEMERAL_ENABLED
#define MBEDTLS_PKCS1_V21
#define MBEDTLS_X509_RSASSA_PSS_SUPPORT
#define MBEDTLS_PSA_CRYPTO_C
#define MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
#define MBEDTLS_PSA_CRYPTO_CONFIG
#define MBEDTLS_PSA_CRYPTO_CONFIG_FILE "port/mbedtls/psa.h"
#endif

#include "port/mbedtls/pool.h"

#endif
