/* SPDX-License-Identifier: BSD-2-Clause */
/* The compiler and the world, for lwIP. */
#ifndef PORT_LWIP_ARCH_CC_H
#define PORT_LWIP_ARCH_CC_H

#include <stddef.h>
#include <stdint.h>

#include "port/lwip/hooks.h"

/* htons() and others are those of the world, if it has a libc. */
#if __STDC_HOSTED__
#define LWIP_DONT_PROVIDE_BYTEORDER_FUNCTIONS 1
#endif

#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_LIMITS_H   1
#define LWIP_NO_UNISTD_H   1
#define LWIP_NO_CTYPE_H	   1

#define X8_F  "x"
#define U16_F "u"
#define S16_F "d"
#define X16_F "x"
#define U32_F "u"
#define S32_F "d"
#define X32_F "x"
#define SZT_F "zu"

#if __has_include(<sys/types.h>)
#include <sys/types.h>
#else
typedef intptr_t ssize_t;
#endif
#ifndef SSIZE_MAX
#define SSIZE_MAX INTPTR_MAX
#endif
#ifndef INT_MAX
#define INT_MAX __INT_MAX__
#endif

#ifndef BYTE_ORDER
#define LITTLE_ENDIAN __ORDER_LITTLE_ENDIAN__
#define BIG_ENDIAN    __ORDER_BIG_ENDIAN__
#define BYTE_ORDER    __BYTE_ORDER__
#endif

#define PACK_STRUCT_STRUCT __attribute__((packed))
#define PACK_STRUCT_BEGIN
#define PACK_STRUCT_END

#define LWIP_RAND() lwnet_random()

/* lwIP is compiled without messages; what it asserts ends the program. */
#define LWIP_PLATFORM_DIAG(x)
#ifdef LWIP_ASSERTS
#define LWIP_PLATFORM_ASSERT(x) __builtin_trap()
#else
#define LWIP_NOASSERT 1
#define LWIP_PLATFORM_ASSERT(x)
#endif

#endif
