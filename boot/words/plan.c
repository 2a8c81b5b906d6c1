/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of the network's words, and a parser for each. */
#include "boot/words/plan.h"

#include <string.h>

#include "boot/words/boolean.h"
#include "boot/words/word.h"

static int wrong(struct nbd_diag *d, const char *word, const char *value)
{
	return nbd_diag(d, NBD_E_USAGE, "%s=%s: not understood", word, value);
}

static bool take_dns(struct net_plan *p, const char *value)
{
	return boot_ip_address(value, &p->dns[p->n_dns]);
}

static bool take_route(struct net_plan *p, const char *value)
{
	struct plan_route *r = &p->route[p->n_route];
	char buf[IP_TEXT], *f[3];

	return boot_ip_split(value, buf, f, 3) <= 3 &&
	       boot_ip_address(f[0], &r->dst) &&
	       (!*f[1] ||
		(boot_ip_address(f[1], &r->gw) && r->gw.len == r->dst.len)) &&
	       boot_ip_device(r->device, f[2]);
}

static bool take_name(struct net_plan *p, const char *value)
{
	struct plan_name *n = &p->name[p->n_name];
	const char *mac = strchr(value, ':');

	return mac &&
	       nbd_fmt(n->name, sizeof(n->name), "%.*s", (int)(mac - value),
		       value) > 0 &&
	       boot_ip_mac(mac + 1, n->mac);
}

static bool take_vlan(struct net_plan *p, const char *value)
{
	struct plan_vlan *v = &p->vlan[p->n_vlan];
	const char *device = strchr(value, ':'), *id = device;

	while (id > value && id[-1] >= '0' && id[-1] <= '9')
		id--;
	if (!device || nbd_fmt(v->name, sizeof(v->name), "%.*s",
			       (int)(device - value), value) <= 0)
		return false;
	v->id = (unsigned)nbd_number(v->name + (id - value), 1, 4094);
	return v->id - 1 < 4094 && boot_ip_device(v->device, device + 1);
}

static int too_many(struct nbd_diag *d, const char *word, const char *value)
{
	return nbd_diag(d, NBD_E_USAGE, "%s=%s: only %d of them are taken",
			word, value, PLAN_MAX);
}

/*
 * BOOTIF=01-52-54-00-12-34-56: 01 is the hardware type, Ethernet.  A menu that
 * knows no MAC leaves it out.
 */
static bool take_bootif(struct net_plan *p, const char *value)
{
	unsigned char mac[6];

	if (!strncmp(value, "01-", 3) || !strncmp(value, "01:", 3))
		value += 3;
	if (!*value)
		return true;
	if (!boot_ip_mac(value, mac))
		return false;
	if (!p->bootdev)
		nbd_fmt(p->device, sizeof(p->device), "%s", value);
	return true;
}

/* Installers name the loader's interface so, where a device stands. */
static bool is_bootif(const char *device)
{
	return !strcmp(device, "BOOTIF") || !strcmp(device, "bootif");
}

static bool take_bootdev(struct net_plan *p, const char *value)
{
	if (is_bootif(value))
		return true;
	p->bootdev = true;
	return boot_ip_device(p->device, value);
}

static bool take_peerdns(struct net_plan *p, const char *value)
{
	p->no_peer_dns = boot_words_boolean(value) == 0;
	return true;
}

bool boot_plan_device(const char *list, char device[18], const char **rest)
{
	char word[IP_TEXT];
	size_t n = strcspn(list, ",");

	nbd_fmt(word, sizeof(word), "%.*s", (int)n, list);
	*rest = list[n] ? list + n + 1 : NULL;
	return n && boot_ip_device(device, word);
}

static bool are_devices(const char *list)
{
	char device[18];

	while (list)
		if (!boot_plan_device(list, device, &list))
			return false;
	return true;
}

static bool take_master(struct net_plan *p, const char *kind, char *f[4])
{
	struct plan_master *m = &p->master[p->n_master];
	long mtu = *f[3] ? nbd_number(f[3], 68, 65535) : 0;

	m->mtu = (unsigned)mtu;
	return mtu >= 0 && *f[0] && are_devices(f[1]) &&
	       nbd_fmt(m->name, sizeof(m->name), "%s", f[0]) > 0 &&
	       nbd_fmt(m->kind, sizeof(m->kind), "%s", kind) > 0 &&
	       nbd_fmt(m->members, sizeof(m->members), "%s", f[1]) > 0 &&
	       nbd_fmt(m->options, sizeof(m->options), "%s", f[2]) >= 0;
}

/* Without miimon= or arp_interval= a bond sees no link fail. */
static bool take_bond(struct net_plan *p, const char *value)
{
	char buf[IP_TEXT], options[IP_TEXT + 32], *f[4];
	unsigned n = boot_ip_split(value, buf, f, 4);

	nbd_fmt(options, sizeof(options), "%s%s",
		*f[2] ? f[2] : "mode=balance-rr",
		strstr(f[2], "miimon=") || strstr(f[2], "arp_interval=")
			? ""
			: ",miimon=100");
	f[2] = options;
	return n <= 4 && take_master(p, "bond", f);
}

static bool take_bridge(struct net_plan *p, const char *value)
{
	char buf[IP_TEXT], *f[4];

	return boot_ip_split(value, buf, f, 4) == 2 &&
	       take_master(p, "bridge", f);
}

static bool take_duid(struct net_plan *p, const char *value)
{
	p->duid_ll = !strcmp(value, "ll");
	return p->duid_ll || !strcmp(value, "uuid");
}

typedef bool take_word(struct net_plan *p, const char *value);

/* The field is the offset of its counter in the plan; 0: the last one counts. */
#define NET(name, count)                                    \
	{                                                   \
		name, count, WORD_NETWORK, WORD_OTHER, 0, 0 \
	}
#define COUNT(field) offsetof(struct net_plan, field)

const struct word boot_plan_words[] = { NET("nameserver", COUNT(n_dns)),
					NET("rd.route", COUNT(n_route)),
					NET("ifname", COUNT(n_name)),
					NET("vlan", COUNT(n_vlan)),
					NET("BOOTIF", 0),
					NET("bootdev", 0),
					NET("rd.peerdns", 0),
					NET("bond", COUNT(n_master)),
					NET("bridge", COUNT(n_master)),
					WORD_NAME("nbdboot.duid",
						  WORD_NETWORK | WORD_OURS),
					WORD_END };

static take_word *const takes[] = { take_dns,	  take_route,  take_name,
				    take_vlan,	  take_bootif, take_bootdev,
				    take_peerdns, take_bond,   take_bridge,
				    take_duid };
_Static_assert(sizeof(takes) / sizeof(takes[0]) + 1 ==
		       sizeof(boot_plan_words) / sizeof(boot_plan_words[0]),
	       "one for each word");

static int take(void *ctx, const char *word, const char *value,
		struct nbd_diag *d)
{
	struct net_plan *p = ctx;
	uint8_t *count;
	size_t i;

	/* as dracut has it */
	if (!value && !strcmp(word, "bond"))
		value = "bond0:eth0,eth1";
	if (!value && !strcmp(word, "bridge"))
		value = "br0:eth0";
	if (!value)
		return NBD_OK;
	/* the root may depend on it: do not boot with half a network */
	if (!strcmp(word, "team"))
		return nbd_diag(d, NBD_E_USAGE,
				"team= is not supported: a bond does the same, "
				"bond=NAME:INTERFACES:mode=active-backup");
	if (!strcmp(word, "ip"))
		return p->n_ip == PLAN_MAX
			       ? too_many(d, word, value)
			       : boot_ip_parse(&p->ip[p->n_ip++], value, d);
	/* its kind of address is known without ip= */
	if (!strcmp(word, "root") || !strcmp(word, "netroot"))
		p->path6 = p->path6 || !strcmp(value, "dhcp6");
	for (i = 0; boot_plan_words[i].name; i++) {
		const struct word *w = &boot_plan_words[i];

		if (!boot_words_same(word, w->name))
			continue;
		count = w->field ? (uint8_t *)p + w->field : NULL;
		if (count && *count == PLAN_MAX)
			return too_many(d, word, value);
		if (strlen(value) >= IP_TEXT || !takes[i](p, value))
			return wrong(d, word, value);
		if (count)
			++*count;
	}
	return NBD_OK;
}

static enum ip_method method_for(const char *server, bool path6)
{
	struct nbd_ip a;

	if (!server)
		return path6 && boot_ip_methods.bits >> IP_DHCP6 & 1 ? IP_DHCP6
								     : IP_DHCP;
	if (!nbd_ip_host(&a, server) || a.len == 4)
		return IP_DHCP;
	return nbd_ip_link_local(&a) ? IP_LINK6 : IP_AUTO6;
}

const char *boot_plan_kind(const struct net_plan *p, const char *name)
{
	unsigned i;

	for (i = 0; i < p->n_vlan; i++)
		if (!strcmp(name, p->vlan[i].name))
			return "vlan";
	for (i = 0; i < p->n_master; i++)
		if (!strcmp(name, p->master[i].name))
			return p->master[i].kind;
	return "ether";
}

int boot_plan_parse(struct net_plan *p, const char *line, const char *server,
		    struct nbd_diag *d)
{
	char text[CMDLINE_MAX];
	struct nbd_ip a;
	bool found = false;
	unsigned i;
	int rc;

	memset(p, 0, sizeof(*p));
	nbd_fmt(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
	rc = boot_cmdline_each(text, take, p, d);
	p->name_server = server && !strchr(server, ':') &&
			 !boot_ip_address(server, &a);
	p->implicit = !p->n_ip;
	if (p->implicit)
		p->ip[p->n_ip++].method = method_for(server, p->path6);
	/* an ip= without a device is for the one that the boot loader used */
	for (i = 0; i < p->n_ip; i++) {
		if (!p->ip[i].device[0] || is_bootif(p->ip[i].device))
			memcpy(p->ip[i].device, p->device, sizeof(p->device));
		found = found || !strcmp(p->ip[i].device, p->device);
	}
	p->bootdev = p->bootdev && found;
	return rc;
}
