/* SPDX-License-Identifier: BSD-2-Clause */
/* Connects the device of the root that the command line and DHCP name. */
#ifndef BOOT_ROOT_CONNECT_H
#define BOOT_ROOT_CONNECT_H

#include <sys/utsname.h>

#include "boot/words/root.h"
#include "boot/device/signals.h"

/* The texts to which env->value[] points. */
struct root_machine {
	const char *dev;
	char mac[18], uuid[64], serial[128];
	struct utsname names;
};

/*
 * Sets env->value[], which point into m, or are NULL: the host name, the MAC
 * address of the interface dev ("": the first that has a link), and the UUID
 * and the serial number of the firmware (/sys/class/dmi/id, which only root can
 * read), or of the device tree (/proc/device-tree).
 */
void root_machine(struct root_machine *m, struct root_env *env,
		  const char *dev);

/*
 * The local port of a root's first connection: always the same for a machine,
 * so that its server drops the connection from before a power cut, and another
 * one for most others, which may be behind the same address (NAT).  0: any.
 */
unsigned root_local_port(const struct root_machine *m);

/*
 * With nbdboot.balance: puts the servers of r into the order of this machine.
 * Without the other forms of root= (plain.c) there is no such word.
 */
void root_balance(struct root_spec *r, const struct root_machine *m);

/*
 * Expands spec to r for this machine and connects to the first server that
 * works.  env holds the values of DHCP; env->value[] is set here, see
 * root_machine().  `held` is for device_attach().  Returns N of the nbdN, or an
 * error.
 */
int root_connect(struct root_spec *r, const struct root_spec *spec,
		 struct root_env *env, const char *dev,
		 struct device_signals *held, struct nbd_diag *d);

/*
 * As root_parse(), of an export that is no root, but is written as one: it has
 * one connection, and of the words of c those about any server.  Sets *words,
 * which must outlive r; the caller may add how the device is used.
 */
int root_parse_export(struct root_spec *r, struct cmdline *words,
		      const struct cmdline *c, const char *uri,
		      struct nbd_diag *d);

/*
 * Connects r, which root_expand() has made for m.  Returns N of the nbdN.
 * *flags are those of the export then (NULL: they are not wanted).
 */
int root_attach(const struct root_spec *r, const struct root_machine *m,
		uint16_t *flags, struct device_signals *held,
		struct nbd_diag *d);

/*
 * Warns of a disk that is mounted writable while another machine can do that,
 * too, as far as the flags of its export show it.
 */
void root_warn_shared(const struct root_spec *r, const struct root_env *env,
		      unsigned flags);

#endif
