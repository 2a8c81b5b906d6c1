/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which port a job depends on.  A VLAN is on top of another interface, which
 * logs in.  Frames of a login do not pass a bond or a bridge.
 */
#include "boot/net/admit.h"

#include <string.h>

static const char *port_of(const struct net *net, const struct job *j)
{
	const struct net_plan *p = &net->plan;
	const char *kind = boot_plan_kind(p, j->l.name);

	for (unsigned i = 0; i < p->n_vlan; i++)
		if (!strcmp(p->vlan[i].name, j->l.name))
			return net->under[i];
	return strcmp(kind, "ether") ? "" : j->l.name;
}

bool net_admitted(struct net *net, struct job *j, uint64_t now)
{
	const char *name = port_of(net, j);
	struct login_port *p;

	if (!*name || j->state != JOB_WAITING || !j->l.carrier)
		return true;
	p = net_login_at(&net->login, name, now);
	if (!p)
		return true;
	if (p->state == LOGIN_WAITS)
		j->due = p->due;
	if (p->state == LOGIN_REFUSED) {
		j->state = JOB_FAILED;
		nbd_diag(&j->why, 0, "%s: %s", name, p->why.text);
	}
	if (p->again && j->fd >= 0)
		net_dhcp_again(&j->dhcp, now);
	p->again = false;
	return p->state == LOGIN_OPEN;
}
