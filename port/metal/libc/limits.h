/* SPDX-License-Identifier: BSD-2-Clause */
/* mbedTLS makes sure that a byte has 8 bits. */
#ifndef METAL_LIMITS_H
#define METAL_LIMITS_H

#define CHAR_BIT __CHAR_BIT__

#endif
