/* SPDX-License-Identifier: BSD-2-Clause */
/* mbedTLS includes it for checks that are not compiled. */
