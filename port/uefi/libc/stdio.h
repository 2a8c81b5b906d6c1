/* SPDX-License-Identifier: BSD-2-Clause */
/* lwIP includes it for messages that are not compiled. */
