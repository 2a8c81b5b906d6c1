/* SPDX-License-Identifier: BSD-2-Clause */
/* The network's words of a command line; the first line is the root's host. */
#include "boot/words/plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void check_text(const char *text, size_t cap)
{
	same(memchr(text, '\0', cap));
}

/* may: it may be missing. */
static void check_address(const struct nbd_ip *a, bool may)
{
	same(a->len == 4 || a->len == 16 || (may && !a->len));
	same(!a->len || a->prefix <= nbd_ip_bits(a));
}

static void check_ip(const struct ip_config *ip)
{
	check_text(ip->device, sizeof(ip->device));
	check_text(ip->host, sizeof(ip->host));
	check_address(&ip->client, true);
	check_address(&ip->peer, true);
	check_address(&ip->gateway, true);
	check_address(&ip->dns[0], true);
	check_address(&ip->dns[1], true);
	same(ip->method <= IP_DHCP6 && ip->mtu <= 65535);
	same((ip->method == IP_STATIC) == !!ip->client.len);
}

static void check_plan(const struct net_plan *p)
{
	unsigned i;

	same(p->n_ip >= 1 && p->n_ip <= PLAN_MAX && p->n_dns <= PLAN_MAX &&
	     p->n_route <= PLAN_MAX && p->n_name <= PLAN_MAX &&
	     p->n_vlan <= PLAN_MAX);
	check_text(p->device, sizeof(p->device));
	for (i = 0; i < p->n_ip; i++)
		check_ip(&p->ip[i]);
	for (i = 0; i < p->n_dns; i++)
		check_address(&p->dns[i], false);
	for (i = 0; i < p->n_route; i++) {
		check_address(&p->route[i].dst, false);
		check_address(&p->route[i].gw, true);
		check_text(p->route[i].device, sizeof(p->route[i].device));
	}
	for (i = 0; i < p->n_name; i++)
		check_text(p->name[i].name, sizeof(p->name[i].name));
	for (i = 0; i < p->n_vlan; i++) {
		check_text(p->vlan[i].name, sizeof(p->vlan[i].name));
		check_text(p->vlan[i].device, sizeof(p->vlan[i].device));
		same(p->vlan[i].id >= 1 && p->vlan[i].id <= 4094);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct net_plan p;
	struct nbd_diag d = { "" };
	char *text = malloc(size + 1), *line;
	int err;

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	line = strchr(text, '\n');
	if (line)
		*line++ = '\0';
	err = boot_plan_parse(&p, line ? line : text, line ? text : NULL, &d);
	same(err == 0 || (err == NBD_E_USAGE && d.text[0]));
	if (!err)
		check_plan(&p);
	free(text);
	return 0;
}
