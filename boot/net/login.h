/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The login at a switch port (IEEE 802.1X).  wpa_supplicant of a distribution
 * does it, which boot/init/supplicant.c starts; this asks it to, and hears how
 * it goes (wpa_ctrl.h of hostap):
 *
 *	first seen --INTERFACE_ADD--> WAITS --success--> OPEN
 *	                              |   '---failure--> REFUSED
 *	                              '--nobody asks---> OPEN, unsaid
 */
#ifndef BOOT_NET_LOGIN_H
#define BOOT_NET_LOGIN_H

#include "port/port.h"

/* Its root, which outlives the switch of the root, and its control socket. */
#define LOGIN_HOME "/run/initramfs/8021x"
#define LOGIN_CTL  LOGIN_HOME "/run/ctl"
/* The configuration, in that root. */
#define LOGIN_CONF "/etc/8021x/wpa_supplicant.conf"

#define LOGIN_PORTS 16

enum login_state { LOGIN_WAITS, LOGIN_OPEN, LOGIN_REFUSED };

struct login_port {
	char name[16]; /* of the interface */
	enum login_state state;
	bool heard;   /* somebody asked for a login */
	bool trusted; /* and showed a certificate that is right */
	bool unsaid;  /* nobody did for so long that it counts as open */
	bool again;   /* logged in after that: what was sent before is lost */
	uint64_t due; /* ms: when a port that waits is given up */
	struct nbd_diag why; /* of a refusal */
};

/* All zeros: there is no wpa_supplicant. */
struct login {
	bool on;
	bool refused; /* a login of this boot was, maybe in an earlier try */
	int fd;
	unsigned owed; /* answers that have not been read */
	unsigned n;
	struct login_port port[LOGIN_PORTS];
};

/* Indexes of interfaces. */
struct login_ports {
	unsigned n;
	int index[LOGIN_PORTS];
};

#ifdef CONFIG_BOOT_LOGIN

/* Connects to the socket ctl, LOGIN_CTL; it is no error if nobody is there. */
void net_login_open(struct login *l, const char *ctl);
/* The descriptor to wait at; -1: none. */
int net_login_fd(const struct login *l);
/* Takes the events that are here, without waiting. */
void net_login_read(struct login *l, uint64_t now);
/* One event, "IFNAME=eth0 <3>CTRL-EVENT-..."; others are ignored. */
void net_login_take(struct login *l, const char *event, uint64_t now);

/*
 * The port of an interface that has a link, with its state now; the first call
 * begins the login.  NULL: there is none to do.  Valid until net_login_close().
 */
struct login_port *net_login_at(struct login *l, const char *name,
				uint64_t now);
/* When the last port that waits is given up, in ms; 0: none waits. */
uint64_t net_login_due(const struct login *l);
/* The interface gets no address: its login is taken back. */
void net_login_drop(struct login *l, const char *name);
/* Leaves wpa_supplicant to itself: it logs in again whenever it is asked to. */
void net_login_close(struct login *l);

/* The interfaces of wpa_supplicant, for when it is gone; n is 0 if it is already. */
void net_login_ports(struct login_ports *p, const char *ctl);
/*
 * Logs out everywhere, and ends wpa_supplicant.  If it is not there any more, a
 * frame of ours tells the switch at each of these ports.
 */
void net_login_end(const struct login_ports *p, const char *ctl);

#else

static inline void net_login_open(struct login *l, const char *ctl)
{
	(void)l, (void)ctl;
}

static inline int net_login_fd(const struct login *l)
{
	(void)l;
	return -1;
}

static inline void net_login_read(struct login *l, uint64_t now)
{
	(void)l, (void)now;
}

static inline struct login_port *net_login_at(struct login *l, const char *name,
					      uint64_t now)
{
	(void)l, (void)name, (void)now;
	return NULL;
}

static inline uint64_t net_login_due(const struct login *l)
{
	(void)l;
	return 0;
}

static inline void net_login_drop(struct login *l, const char *name)
{
	(void)l, (void)name;
}

static inline void net_login_close(struct login *l)
{
	(void)l;
}

static inline void net_login_ports(struct login_ports *p, const char *ctl)
{
	(void)ctl;
	p->n = 0;
}

static inline void net_login_end(const struct login_ports *p, const char *ctl)
{
	(void)p, (void)ctl;
}

#endif
#endif
