/* SPDX-License-Identifier: BSD-2-Clause */
/* From what the command line and DHCP say of the root to its device. */
#ifndef BOOT_ROOT_CONNECT_H
#define BOOT_ROOT_CONNECT_H

#include "boot/common/root.h"

/*
 * This machine's values: the host name, the address of the interface dev ("":
 * the first that has a link), and what its firmware says (/sys/class/dmi/id),
 * which root alone can read.  They stay valid until the next call.
 */
void root_machine(struct root_env *env, const char *dev);

/*
 * Parses again, now with what DHCP said in env and the values of the machine,
 * and connects to the first server that works.  N of the nbdN, or an error.
 */
int root_connect(struct root_spec *r, const struct cmdline *c,
		 struct root_env *env, const char *dev, struct nbd_diag *d);

#endif
