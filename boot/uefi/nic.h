/* SPDX-License-Identifier: BSD-2-Clause */
/* The network: an interface, an address, a stack for dial(). */
#ifndef BOOT_UEFI_NIC_H
#define BOOT_UEFI_NIC_H

#include "boot/words/lease.h"
#include "port/uefi/snp.h"
#include "port/uefi/tcp4.h"
#include "port/uefi/uefi.h"

struct lwnet;

struct uefi_net {
	/* The caller sets these: called while nothing arrives. */
	void (*idle)(void *ctx);
	void *ctx;
	bool root_path; /* a lease must have one, if it can */
	bool ip4;	/* no server has an address of another kind */

	efi_handle nic;
	const struct efi_path *path; /* of nic */
	uint8_t mac[6];
	struct dhcp_lease lease; /* of IPv4; its addr has no length: none */
	struct nbd_ip ip6;	 /* without a lease: the address of IPv6 */
	/* ip=; its client is set if an IPv6 address is known beforehand */
	struct ip_config ip;
	const char *ip_text; /* without a lease: the value of ip= */
	/* where the address is from: "PXE", "DHCP", "ip=" and so on */
	const char *from;
	const char *via;	 /* what moves the packets */
	struct nbd_stack *stack; /* NULL: down */
	bool polled; /* it works at EFI_TPL_CALLBACK, without events */

	/* private */
	struct efi_snp snp;
	struct lwnet *lwip; /* 1 MiB; NULL: down */
	struct efi_tcp4 tcp4;
};

/*
 * Finds the interfaces; drivers are connected if there is none.  Returns their
 * number, those that the firmware booted from first, or an error.  The caller
 * gives *list to efi_free().
 */
int uefi_net_find(efi_handle **list, struct nbd_diag *d);

/*
 * The firmware's PXE on the handle that this program came from, or NULL.  It is
 * by IPv6 only where this program has that.
 */
struct efi_pxe *uefi_net_pxe(void);

/*
 * Brings the interface up, with the address of ip= (NULL: none was given), of
 * PXE or HTTP boot, or of DHCP; where lwIP has IPv6, also with one that a router
 * advertises.
 */
int uefi_net_up(struct uefi_net *n, efi_handle nic, const char *ip,
		struct nbd_diag *d);
void uefi_net_down(struct uefi_net *n);
/* The firmware ends: no frame is written to memory any more. */
void uefi_net_exit(struct uefi_net *n);

#endif
