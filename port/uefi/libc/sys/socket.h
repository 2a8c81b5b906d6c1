/* SPDX-License-Identifier: BSD-2-Clause */
/* Families of addresses, as numbers in structs only. */
#ifndef PORT_UEFI_LIBC_SYS_SOCKET_H
#define PORT_UEFI_LIBC_SYS_SOCKET_H

#define AF_INET	 2
#define AF_INET6 10

#endif
