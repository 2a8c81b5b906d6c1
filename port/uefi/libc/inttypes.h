/* SPDX-License-Identifier: BSD-2-Clause */
/* mbedTLS includes it for the format of times that it never prints. */
#include <stdint.h>
