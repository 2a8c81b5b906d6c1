/* SPDX-License-Identifier: BSD-2-Clause */
/* Where nbdboot.conf is, from the name that the program was loaded by. */
#ifndef BOOT_UEFI_WHERE_H
#define BOOT_UEFI_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Each writes the name of nbdboot.conf in the directory of the program.  False:
 * longer than cap, or no name at all.
 */

/* A path with '/' or '\\', as TFTP servers for Windows have it. */
bool uefi_beside_file(char *to, size_t cap, const char *name);

/*
 * A URL without its query and its fragment (RFC 3986, 5.2).  With a host alone
 * the file is in the host's root.
 */
bool uefi_beside_url(char *to, size_t cap, const char *url);

/*
 * A device path, len bytes at p without its end: the names of its file nodes,
 * which may be one for each directory.  Without such a node it is the root of
 * the volume.
 */
bool uefi_beside_path(char *to, size_t cap, const uint8_t *p, size_t len);

/*
 * The name in an answer of PXE by IPv4 (len bytes at p): the field "file" of
 * BOOTP, or option 67 if that is empty or holds options.  server becomes the one
 * that has the file.
 */
bool uefi_beside_bootp(char *to, size_t cap, uint8_t server[4],
		       const uint8_t *p, size_t len);

/*
 * The same by IPv6: a Reply of DHCPv6 with option 59 (RFC 5970),
 * "tftp://[2001:db8::1]/name".  The server is an address, as UEFI demands.
 */
bool uefi_beside_dhcp6(char *to, size_t cap, uint8_t server[16],
		       const uint8_t *p, size_t len);

#endif
