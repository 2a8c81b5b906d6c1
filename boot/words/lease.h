/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The address of a machine that firmware starts: the words of a lease, from
 * wherever it came, and what the operating system takes over.
 */
#ifndef BOOT_WORDS_LEASE_H
#define BOOT_WORDS_LEASE_H

#include "boot/words/ip.h"
#include "boot/words/dhcp_msg.h"

/* Fills in l from ip=, whose method is IP_STATIC; true if it is IPv4. */
bool boot_lease_static(struct dhcp_lease *l, const struct ip_config *ip);

/*
 * Reads the ACK that the firmware's PXE has kept (len bytes at p) for this MAC.
 * Returns false if it is not a sound one.
 */
bool boot_lease_packet(struct dhcp_lease *l, const uint8_t *p, size_t len,
		       const uint8_t mac[6]);

/*
 * An option of a message of DHCPv6 (RFC 8415, 21.1): *n bytes; NULL: there is
 * none, or the message is malformed before it.
 */
const uint8_t *boot_lease_option6(const uint8_t *p, size_t len, unsigned code,
				  size_t *n);

/*
 * Sets client, gateway and dns[0] of ip to the address that the firmware's PXE
 * got by DHCPv6: addr, and the name server in the Reply (len bytes at p).
 */
void boot_lease_packet6(struct ip_config *ip, const uint8_t addr[16],
			const uint8_t *p, size_t len);
/*
 * The same from the device path of HTTP boot (UEFI specification 2.10, section
 * 10.3.4).  False: it has no address of IPv6.
 */
bool boot_lease_path6(struct ip_config *ip, const uint8_t *p, size_t len);

/*
 * The first node of a type (type and subtype, a byte each) of a device path:
 * len bytes at p, without its end.  *n becomes the length of the node, with its
 * head of 4 bytes.  NULL: there is none, or the path is malformed before it.
 */
const uint8_t *boot_lease_node(const uint8_t *p, size_t len, unsigned type,
			       size_t *n);
#define LEASE_NODE_URI 0x0318u

/*
 * Takes the address from a device path (len bytes at p, without its end): that
 * of HTTP boot has it in its IPv4 node, and name servers in a DNS node (UEFI
 * specification 2.10, section 10.3.4).  Returns false if there is none.
 */
bool boot_lease_path(struct dhcp_lease *l, const uint8_t *p, size_t len);

/*
 * Prints " ip=ADDRESS::GATEWAY:MASK:HOST::off:DNS": the lease as a word of a
 * kernel command line.  Without an address it is " ip=NONE".
 */
void boot_lease_put(struct nbd_out *o, const struct dhcp_lease *l,
		    const char *none);
/* Prints " BOOTIF=01-MAC": with several interfaces, the address is for this. */
void boot_lease_bootif(struct nbd_out *o, const uint8_t mac[6]);

#endif
