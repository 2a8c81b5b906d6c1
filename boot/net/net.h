/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network of a boot: configured from the kernel command line, brought up
 * as the kernel's events arrive.
 */
#ifndef BOOT_NET_NET_H
#define BOOT_NET_NET_H

#include "boot/words/cmdline.h"
#include "boot/words/plan.h"
#include "boot/net/job.h"
#include "boot/net/login.h"
#include "boot/net/state.h"
#include "port/linux/netlink.h"

#define NET_JOBS    16
#define NET_MEMBERS 64

/*
 * Owned by the caller, zeros at first, about 60 KB.  Callers use only `state`.
 */
struct net {
	struct net_state state; /* valid once net_up() has succeeded */
	struct net_plan plan;
	unsigned n;		/* of job[] */
	unsigned named, tagged; /* bits: which ifname= and vlan= are done */
	/* interfaces in a bond or bridge; with more the first are forgotten */
	int joined[NET_MEMBERS];
	unsigned n_joined;
	unsigned mastered; /* bits: which bond= and bridge= are there */
	bool listens;	   /* to 802.1X, with the socket eapol */
	int eapol;
	int heard[NET_JOBS]; /* the interfaces where a switch asks for it */
	unsigned n_heard;
	bool no_login;		  /* nbdboot.8021x=0 */
	char under[PLAN_MAX][16]; /* the interface of each vlan= */
	struct login login;
	int run; /* the result of file_run() */
	struct job job[NET_JOBS];
	struct nl_sock events;
};

/*
 * Parses the network's words of the kernel command line: ip= (several),
 * nameserver=, rd.route=, rd.peerdns=, BOOTIF=, bootdev=, ifname=, vlan=,
 * bond=, bridge=.  host is that of root=, "" if DHCP's root-path has to name
 * it, or NULL if it is not known yet: without ip= it decides which kind of
 * address is needed.  Returns 0, or NBD_E_USAGE with the wrong word in d.
 */
int net_configure(struct net *net, const struct cmdline *c, const char *host,
		  struct nbd_diag *d);

/* May any interface be brought up as soon as it appears? */
bool net_any_link(const struct net *net);

/*
 * Brings the network up as configured, and returns when it has the address that
 * makes the root reachable.  Writes the files for the real system (handoff.h).
 * boot: the machine is booting, so this also sets the host name and
 * /etc/resolv.conf.  May be called again, and then starts anew.
 * NBD_E_UNREACHABLE: no interface, no link or no answer; d says which.
 */
int net_up(struct net *net, bool boot, struct nbd_diag *d);

/*
 * Closes the sockets of net_up().  The last close of a packet socket blocks for
 * 20 to 60 ms in a boot (packet_release(), synchronize_net()), so call this
 * when a process that was started meanwhile has them open, too.
 */
void net_done(struct net *net);

/* Sets the host name, and /etc/resolv.conf if there are name servers. */
void net_set_machine(const struct net_state *s);

/* Sets the host name, unless it is "", or says why not; cut: it was longer. */
void net_set_host(const char *host, bool cut);

/*
 * Unless there are any, takes the search domains of /etc/resolv.conf: a reroot
 * has kept that of the system before.
 */
void net_keep_domains(char domain[BOOT_DOMAINS]);

#endif
