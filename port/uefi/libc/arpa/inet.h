/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PORT_UEFI_LIBC_ARPA_INET_H
#define PORT_UEFI_LIBC_ARPA_INET_H

/* IPv4 only: 0 for every other text and family. */
int inet_pton(int family, const char *text, void *to);

#endif
