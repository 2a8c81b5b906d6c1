/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's own TCP, EFI_TCP4, as the stack of dial(): for interfaces that
 * cannot be had alone.  It is slower than port/lwip (11 to 14 MB/s), and has
 * IPv4 addresses only, without names.
 */
#ifndef PORT_UEFI_TCP4_H
#define PORT_UEFI_TCP4_H

#include "port/stack.h"
#include "port/uefi/rest.h"
#include "port/uefi/uefi.h"

/* Bytes of one call of the firmware. */
#define EFI_TCP4_CHUNK (64u << 10)

struct efi_tcp4_protocol;

/* A token of the firmware, and the one piece of memory that it moves. */
struct efi_tcp4_io {
	efi_event event;
	efi_status status;
	void *packet; /* data */
	struct efi_tcp4_data {
		/* sent: push and urgent; received: urgent */
		efi_bool flag, other;
		uint32_t len, n;
		struct {
			uint32_t len;
			void *at;
		} piece;
	} data;
	bool open;     /* with the firmware */
	uint32_t used; /* of what was received */
};

/* A connection. */
struct efi_tcp4_link {
	efi_handle child; /* NULL: the place is free */
	struct efi_tcp4_protocol *p;
	struct efi_tcp4_io connect, rx, tx;
	unsigned char *memory; /* a chunk each for rx and tx */
};

/* The caller's memory. */
struct efi_tcp4 {
	struct nbd_stack net;
	efi_handle nic;
	struct nbd_ip addr, router; /* set by the caller */
	struct efi_tcp4_link links[CONFIG_PORT_MAX_CONNECTIONS];
	struct efi_rest rest;
	void (*idle)(void *ctx); /* called while nothing arrives */
	void *ctx;
};

/* Prepares the stack on the interface, of which addr is set. */
int efi_tcp4_open(struct efi_tcp4 *t, efi_handle nic, struct nbd_diag *d);
/* Ends the connections that are left. */
void efi_tcp4_close(struct efi_tcp4 *t);

#endif
