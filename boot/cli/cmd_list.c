/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot list: devices by sysfs and their backend identifiers, and their
 * connections by sock_diag.
 */
#include "boot/cli/clones.h"
#include "boot/cli/loads.h"
#include "boot/cli/metrics.h"
#include "boot/cli/show.h"
#include "boot/device/names.h"
#include "boot/prefetch/seen.h"

#include <string.h>

/* Prints the parts of a URI, for scripts. */
static void print_uri(const struct nbd_uri *u)
{
	if (u->is_unix)
		cli_putf("  Socket:      %s\n", u->socket);
	else
		cli_putf("  Host:        %s\n  Port:        %u\n", u->host,
			 u->port);
	cli_putf("  Name:        ");
	if (u->name_len == 0)
		cli_putf("[default export]");
	nbd_put_safe(&cli_out, u->name, u->name_len);
	cli_putf("\n");
}

/* Finds the TLS of the first live connection; all have the same. */
static bool find_tls(const struct device *dev, struct device_tls_words *w)
{
	for (unsigned i = 0; i < dev->n_links; i++)
		if (dev->links[i].live)
			return device_tls_words(&dev->links[i].tls, w);
	return false;
}

static void print_tls(const struct device *dev)
{
	struct device_tls_words w;

	cli_putf("  TLS:         ");
	if (!dev->b.uris[0].tls)
		cli_putf("no\n");
	else if (!find_tls(dev, &w))
		cli_putf("yes (the kernel does not say which)\n");
	else
		cli_putf("%s, %s\n", w.version, w.cipher);
}

/* The driver itself shows "connected" even if no connection lives. */
static const char *state(const struct device *dev)
{
	return !dev->info.connected	    ? "disconnected"
	       : !dev->counted || dev->live ? "connected"
					    : "dead";
}

static void print_known(const struct device *dev)
{
	const struct backend *b = &dev->b;

	for (unsigned i = 0; i < b->servers; i++)
		print_uri(&b->uris[i]);
	if (dev->counted)
		cli_putf("  Connections: %u live of %u wanted, room for %u\n",
			 dev->live, dev->wanted, device_backend_slots(b));
	print_tls(dev);
	if (b->dead_timeout >= 0)
		cli_putf("  Outage:      I/O waits %d s, then it fails\n",
			 b->dead_timeout);
	else
		cli_putf("  Outage:      I/O waits\n");
}

static void print_prefetch(int index)
{
	struct prefetch_seen s;

	if (!prefetch_seen_read(&s) || s.n[PREFETCH_DEVICE] != (uint64_t)index)
		return;
	cli_putf("  Prefetch:    ");
	prefetch_seen_print(&s, &cli_out);
	cli_putf("\n");
}

static void print_text(const struct device *dev)
{
	const struct nbdk_info *i = &dev->info;

	cli_putf("nbd%d\n  State:       %s\n", i->index, state(dev));
	if (!i->connected)
		return;
	cli_putf("  Backend:     %s\n", i->backend);
	if (dev->known)
		print_known(dev);
	cli_putf("  Size:        ");
	cli_put_size(i->size);
	cli_putf("\n  Blocksize:   %u\n  Mode:        %s\n  Queues:      %u\n",
		 i->block_size, i->read_only ? "read-only" : "read-write",
		 i->connections);
	if (i->io_timeout)
		cli_putf("  Timeout:     %u s\n", i->io_timeout / 1000);
	print_prefetch(i->index);
	cli_clone_text(i->index);
}

static void print_json_tls(const struct device *dev)
{
	struct device_tls_words w;

	cli_putf(", \"tls\": ");
	if (!dev->known)
		cli_putf("null");
	else if (!dev->b.uris[0].tls)
		cli_putf("false");
	else if (!find_tls(dev, &w))
		cli_putf("{\"version\": null, \"cipher\": null}");
	else
		cli_putf("{\"version\": \"%s\", \"cipher\": \"%s\"}", w.version,
			 w.cipher);
}

/* Prints nothing if they could not be counted. */
static void print_json_links(const struct device *dev)
{
	if (!dev->known || !dev->counted)
		return;
	cli_putf(dev->b.dead_timeout < 0 ? ", \"dead_timeout\": null"
					 : ", \"dead_timeout\": %d",
		 dev->b.dead_timeout);
	cli_putf(", \"wanted\": %u, \"slots\": %u, \"live\": %u", dev->wanted,
		 device_backend_slots(&dev->b), dev->live);
	cli_put_json_links(dev);
}

static void print_json(const struct device *dev, bool first)
{
	const struct nbdk_info *i = &dev->info;

	cli_putf("%s\n  {\"name\": \"nbd%d\", \"connected\": %s",
		 first ? "" : ",", i->index, i->connected ? "true" : "false");
	if (i->connected) {
		cli_putf(", \"state\": \"%s\", \"backend\": ", state(dev));
		nbd_put_json(&cli_out, i->backend, strlen(i->backend));
		cli_putf(", \"size\": %llu, \"block_size\": %u, "
			 "\"read_only\": %s, \"queues\": %u, "
			 "\"timeout_ms\": %u",
			 (unsigned long long)i->size, i->block_size,
			 i->read_only ? "true" : "false", i->connections,
			 i->io_timeout);
		print_json_tls(dev);
		print_json_links(dev);
		cli_clone_json(i->index);
	}
	cli_putf("}");
}

struct list {
	bool all, json, metrics, udev;
	unsigned n; /* printed so far */
};

static const struct cli_option options[] = {
	{ "all", 'a', NULL, "also list devices that are not connected",
	  CLI_FIELD(struct list, all) },
	{ "json", 0, NULL, "print an array of objects",
	  CLI_FIELD(struct list, json) },
	{ "metrics", 0, NULL, "print in the text format of Prometheus",
	  CLI_FIELD(struct list, metrics) },
	{ "udev", 0, NULL, "print the names of a device, for a rule of udev",
	  CLI_FIELD(struct list, udev) },
	{ 0 },
};

static void print(struct list *l, const struct device *dev)
{
	if (!dev->info.connected && !l->all)
		return;
	if (l->json)
		print_json(dev, l->n == 0);
	else
		print_text(dev);
	l->n++;
}

static int list_named(struct list *l, char *names[], struct device *dev)
{
	int status = CLI_OK;

	/* a device named by the user is shown even if not connected */
	l->all = true;
	for (; *names; names++) {
		int index = nbdk_parse_name(*names);
		int err = nbdk_info(index, &dev->info);

		if (err) {
			status = cli_fail(*names, err, NULL);
			continue;
		}
		device_read(dev, index, NULL);
		print(l, dev);
	}
	return status;
}

static int print_metrics(char *names[])
{
	struct nbdk_info info;
	int status = CLI_OK;

	for (char **name = names; *name; name++) {
		int err = nbdk_info(nbdk_parse_name(*name), &info);

		if (err)
			status = cli_fail(*name, err, NULL);
	}
	cli_metrics(names);
	cli_clone_metrics(names);
	cli_image_metrics();
	return status;
}

/* Prints KEY=NAME; its backslashes stay as they are. */
static void print_name(const char *key, const struct nbd_uri *u, bool brief)
{
	char name[DEVICE_NAME_BUF];

	if (device_name(name, u, brief))
		return;
	cli_putf("%s=", key);
	nbd_put(&cli_out, name, strlen(name));
	nbd_put(&cli_out, "\n", 1);
}

static int list_names(char *names[])
{
	struct nbdk_info info;
	struct backend b;
	char buf[BACKEND_BUF];
	int err;

	if (!names[0] || names[1])
		return cli_usage("list", "--udev: name one device");
	err = nbdk_info(nbdk_parse_name(names[0]), &info);
	if (err)
		return cli_fail(names[0], err, NULL);
	if (!info.connected || device_backend_parse(&b, buf, info.backend))
		return CLI_OK;
	/* all servers have this disk: the first one stands for them */
	print_name("NBDBOOT_ID", &b.uris[0], false);
	print_name("NBDBOOT_ID_BRIEF", &b.uris[0], true);
	return CLI_OK;
}

static int run(struct cli_call *call)
{
	struct list *l = call->options;
	struct device dev = { 0 };
	struct nbdk_iter it = { 0 };
	int index, status = CLI_OK;

	if (l->json + l->metrics + l->udev > 1)
		return cli_usage("list", "--json, --metrics and --udev exclude "
					 "each other");
	if (l->metrics)
		return print_metrics(call->words);
	if (l->udev)
		return list_names(call->words);
	if (l->json)
		cli_putf("[");
	if (call->words[0])
		status = list_named(l, call->words, &dev);
	else
		while ((index = nbdk_next(&it)) >= 0)
			if (device_read(&dev, index, NULL) != NBD_E_NO_DEVICE ||
			    l->all)
				print(l, &dev);
	if (l->json)
		cli_putf(l->n ? "\n]\n" : "]\n");
	return status;
}

const struct command cmd_list = {
	.name = "list",
	.group = CLI_LIST,
	.summary = "show connected devices",
	.operands = { 0, CLI_ANY, { "nbdN" } },
	.devices = true,
	.options = options,
	.run = run,
};
