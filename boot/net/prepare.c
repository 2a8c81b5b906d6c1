/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of interfaces, VLANs, bonds and bridges. */
#include "boot/net/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "boot/system/console.h"
#include "boot/net/handoff.h"
#include "boot/net/select.h"
#include "port/linux/file.h"
#include "port/linux/module.h"

void net_report(int rc, const struct nbd_diag *d)
{
	if (rc < 0)
		boot_say("%s", d->text);
}

/*
 * An interface that stays up without an address of ours needs a .link file to
 * keep its name.
 */
static void keep_name(const struct net *net, const struct iface *iface,
		      const char *kind)
{
	struct net_state s = { 0 };
	struct nbd_diag d;

	memcpy(s.name, iface->name, sizeof(s.name));
	memcpy(s.mac, iface->mac, sizeof(s.mac));
	nbd_fmt(s.kind, sizeof(s.kind), "%s", kind);
	net_report(net_handoff_name(net->run, &s, &d), &d);
}

static void add_vlan(struct net *net, const struct iface *parent,
		     const struct plan_vlan *v)
{
	struct nbd_diag d;

	keep_name(net, parent, boot_plan_kind(&net->plan, parent->name));
	net_report(iface_up(parent->index, &d), &d);
	net_report(iface_add_vlan(parent->index, v->name, v->id, &d), &d);
}

/* ---- bonds and bridges ---- */

static void set_option(const struct plan_master *m, const char *name, size_t n,
		       const char *value, size_t len)
{
	char path[300], text[sizeof(m->options) + 1];
	int size;

	nbd_fmt(path, sizeof(path), "/sys/class/net/%s/bonding/%.*s", m->name,
		(int)n, name);
	/* the driver adds a target to its list, and takes none without a sign */
	size = nbd_fmt(text, sizeof(text), "%s%.*s",
		       !strncmp(name, "arp_ip_target=", 14) ? "+" : "",
		       (int)len, value);
	if (file_write(AT_FDCWD, path, text, (size_t)size) < 0)
		boot_say("bond=%s: %.*s=%.*s: %s", m->name, (int)n, name,
			 (int)len, value, strerror(errno));
}

/*
 * The driver takes most options only in their mode, and delays only while it
 * watches links: what they depend on comes first.
 */
static unsigned turn_of(const char *name, size_t n)
{
	static const char *const first[] = { "mode", "miimon", "arp_interval" };
	unsigned i = 0;

	while (i < 3 && (strlen(first[i]) != n || memcmp(name, first[i], n)))
		i++;
	return i;
}

/*
 * The kernel has a file for each option: "mode=802.3ad,miimon=100".  Several
 * values have ';' between them, as in dracut, or are written one by one.
 */
static void set_options(const struct plan_master *m, unsigned turn)
{
	const char *p = m->options, *value, *end;
	size_t n, len;

	for (; *p; p = end + (*end == ',')) {
		end = p + strcspn(p, ",");
		n = strcspn(p, "=,");
		if (turn_of(p, n) != turn)
			continue;
		if (n && p[n] != '=')
			boot_say("bond=%s: %.*s has no value", m->name, (int)n,
				 p);
		for (value = p + n; value < end; value += len) {
			value++;
			len = strcspn(value, ";,");
			set_option(m, p, n, value, len);
		}
	}
}

/* Its index.  One that the kernel made already, as it does bond0, is taken. */
static int find_or_add(const struct plan_master *m, struct nbd_diag *d)
{
	int rc = iface_find(m->name, NULL, d);

	if (rc >= 0)
		return rc;
	/* not by the kernel, which would make a bond0 that nobody asked for */
	if (!strcmp(m->kind, "bond"))
		mod_load("bonding", "max_bonds=0", NULL);
	rc = iface_add_master(m->kind, m->name, d);
	return rc < 0 ? rc : iface_find(m->name, NULL, d);
}

static void configure(const struct plan_master *m, int index,
		      const struct iface *first)
{
	struct nbd_diag d;

	for (unsigned turn = 0; turn < 4; turn++)
		set_options(m, turn);
	/* the MAC of a bridge would change with each member, amid DHCP */
	net_report(iface_set_mac(index, first->mac, &d), &d);
	if (m->mtu)
		net_report(iface_set_mtu(index, m->mtu, &d), &d);
	net_report(iface_up(index, &d), &d);
}

static void join(struct net *net, const struct plan_master *m,
		 const struct iface *iface)
{
	struct nbd_diag d;
	unsigned bit = 1u << (m - net->plan.master);
	int master = find_or_add(m, &d);

	if (master >= 0 && !(net->mastered & bit))
		configure(m, master, iface);
	net->mastered |= bit;
	keep_name(net, iface, "");
	net_report(master < 0 ? master : iface_join(iface->index, master, &d),
		   &d);
}

/* ---- */

/* Is the interface that has a name still to get another one? */
static bool gives_up(const struct net *net, const char *name)
{
	const struct net_plan *p = &net->plan;
	struct iface holder;

	if (iface_find(name, &holder, NULL) < 0)
		return false;
	for (unsigned i = 0; i < p->n_name; i++)
		if (!(net->named >> i & 1) &&
		    !memcmp(p->name[i].mac, holder.mac, 6) &&
		    strcmp(p->name[i].name, name) != 0)
			return true;
	return false;
}

/* Frees its name, which the one that has the name for it may wait for. */
static void put_aside(const struct iface *iface)
{
	struct nbd_diag d;
	char aside[24];

	nbd_fmt(aside, sizeof(aside), "rename%d", iface->index);
	if (strcmp(aside, iface->name) != 0)
		net_report(iface_rename(iface->index, aside, &d), &d);
}

/* True if it was renamed, or will be. */
static bool name(struct net *net, const struct iface *iface)
{
	const struct net_plan *p = &net->plan;
	struct nbd_diag d;
	unsigned i;

	for (i = 0; i < p->n_name; i++) {
		const struct plan_name *n = &p->name[i];

		if (net->named >> i & 1 || memcmp(n->mac, iface->mac, 6) != 0)
			continue;
		if (strcmp(n->name, iface->name) && gives_up(net, n->name)) {
			put_aside(iface);
			return true;
		}
		net->named |= 1u << i;
		if (!strcmp(n->name, iface->name))
			continue;
		net_report(iface_rename(iface->index, n->name, &d), &d);
		return true;
	}
	return false;
}

static bool has_joined(const struct net *net, int index)
{
	for (unsigned i = 0; i < net->n_joined && i < NET_MEMBERS; i++)
		if (net->joined[i] == index)
			return true;
	return false;
}

bool net_prepare(struct net *net, const struct iface *iface)
{
	const struct net_plan *p = &net->plan;
	const struct plan_master *m;
	unsigned i;

	/* its MAC may be that of the bond now */
	if (has_joined(net, iface->index) || name(net, iface))
		return true;
	m = net_select_master(p, iface);
	if (m) {
		net->joined[net->n_joined++ % NET_MEMBERS] = iface->index;
		join(net, m, iface);
		return true;
	}
	for (i = 0; i < p->n_vlan; i++) {
		const struct plan_vlan *v = &p->vlan[i];

		if (net->tagged >> i & 1 ||
		    !net_select_matches(v->device, iface))
			continue;
		net->tagged |= 1u << i;
		memcpy(net->under[i], iface->name, sizeof(iface->name));
		add_vlan(net, iface, v);
	}
	return false;
}
