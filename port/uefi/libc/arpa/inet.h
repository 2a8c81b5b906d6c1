/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PORT_UEFI_LIBC_ARPA_INET_H
#define PORT_UEFI_LIBC_ARPA_INET_H

/* AF_INET and AF_INET6; 0: the text is no address. */
int inet_pton(int family, const char *text, void *to);

#endif
