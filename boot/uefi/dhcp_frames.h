/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lease by DHCP before there is a stack: whole frames over an nbd_ether, with
 * the client of boot/net.  The boot needs the root-path and the other options,
 * and passes them on.  No firmware.
 */
#ifndef BOOT_UEFI_DHCP_FRAMES_H
#define BOOT_UEFI_DHCP_FRAMES_H

#include "boot/words/dhcp_msg.h"
#include "port/ether.h"
#include "port/port.h"

/*
 * Gets a lease within ms milliseconds, with the pauses of boot/net/dhcp.h.
 * seed is a random number; need_path: an offer without a root-path is accepted
 * only if no better one comes.  0, or NBD_E_TIMEOUT: no server has answered, or
 * it has taken its offer back each time; NBD_E_UNREACHABLE: the interface has
 * no link.
 */
int uefi_dhcp(struct dhcp_lease *l, struct nbd_ether *e, uint32_t seed,
	      bool need_path, unsigned ms, struct nbd_diag *d);

#endif
