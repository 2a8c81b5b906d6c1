/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ip= of the kernel command line in every form of the kernel (nfsroot.txt),
 * of klibc and of dracut (dracut.cmdline(7)):
 *
 *	METHOD
 *	DEVICE:METHOD[:[MTU][:MAC]]
 *	CLIENT:PEER:GATEWAY:NETMASK:HOST:DEVICE:METHOD[:[MTU][:MAC]]
 *	CLIENT:PEER:GATEWAY:NETMASK:HOST:DEVICE:METHOD[:[DNS0][:[DNS1][:NTP0]]]
 *
 * Any field may be empty, or be left out at the end.  IPv6 addresses stand
 * in brackets; CLIENT may be "address/prefix", NETMASK a prefix.
 */
#ifndef BOOT_WORDS_IP_H
#define BOOT_WORDS_IP_H

#include "port/ip.h"
#include "port/port.h"

#define IP_DNS	2
#define IP_HOST 64 /* bytes of a host name, by sethostname(2) */
#define IP_TEXT 256

enum ip_method {
	IP_OFF,	   /* leave the network alone */
	IP_LINK,   /* only bring the interface up */
	IP_STATIC, /* bring it up and set the address of ip= */
	IP_DHCP,   /* any, on, dhcp, single-dhcp, or nothing without CLIENT */
	IP_AUTO6,  /* auto6, either6: wait for an advertised address */
	IP_LINK6,  /* link6: the link-local address is enough */
	IP_DHCP6,  /* dhcp6: wait for an address of DHCPv6 */
};

/* The methods that a build supports, defined by static.c, joblease6.c or
 * nolease6.c of boot/net, or by nic.c of boot/uefi. */
extern const struct ip_methods {
	enum ip_method unsaid; /* the method of an ip= that names none */
	unsigned bits;	       /* 1 << method */
	const char *has;       /* the same as text, for messages */
} boot_ip_methods;

/* Addresses that were not given have the length 0. */
struct ip_config {
	enum ip_method method;
	unsigned mtu;	      /* 0: unchanged */
	unsigned char mac[6]; /* to give to the interface; zeros: its own */
	char device[18];      /* a name or a MAC with dashes; "": all */
	/*
	 * The prefix is that of the mask, else of IPv4's class, else 64.  With
	 * a CLIENT the method is static, whatever METHOD says.
	 */
	struct nbd_ip client;
	/*
	 * The other end of the link in dracut, an NFS server in the kernel:
	 * used as a peer only if CLIENT's prefix covers no other address.
	 */
	struct nbd_ip peer;
	struct nbd_ip gateway, dns[IP_DNS];
	char host[IP_HOST + 1]; /* "": not given */
	bool cut;		/* host was longer */
};

/*
 * Parses the text of ip=.  Returns 0, or NBD_E_USAGE with the wrong field in d.
 */
int boot_ip_parse(struct ip_config *ip, const char *text, struct nbd_diag *d);

/*
 * "192.0.2.1", "192.0.2.0/24", "2001:db8::1/64", with or without brackets.
 * Without a prefix, the prefix is that of a single host.  False: no address.
 */
bool boot_ip_address(const char *text, struct nbd_ip *addr);

/* Copies the name of an interface or a MAC with dashes; false: neither. */
bool boot_ip_device(char to[18], const char *name);

/* "52:54:00:12:34:56", or with dashes, and nothing after it. */
bool boot_ip_mac(const char *text, unsigned char mac[6]);

/*
 * Copies text without its brackets to `to`, which has room for it, and splits
 * it at the colons outside of brackets.  f gets the first max fields; missing
 * ones are empty.  Returns the number of fields.
 */
unsigned boot_ip_split(const char *text, char *to, char *f[], unsigned max);

/*
 * Copies a host name.  One that is too long is cut to its first label, else to
 * what fits: true.
 */
bool boot_ip_host(char to[IP_HOST + 1], const char *name);

/* The prefix length of an IPv4 address's class, for use without a mask. */
unsigned boot_ip_class(const unsigned char ip[4]);

#endif
