/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot list: what sysfs and the backend identifier know of devices, and the
 * kernel of their connections.
 */
#include "boot/cli/cli.h"
#include "boot/cli/links.h"

#include <string.h>

/* What a URI says, for scripts that want it in parts. */
static void print_uri(const struct nbd_uri *u)
{
	if (u->is_unix)
		nbd_putf(&cli_out, "  Socket:      %s\n", u->socket);
	else
		nbd_putf(&cli_out, "  Host:        %s\n  Port:        %u\n",
			 u->host, u->port);
	nbd_putf(&cli_out, "  Name:        ");
	if (u->name_len == 0)
		nbd_putf(&cli_out, "[default export]");
	nbd_put_safe(&cli_out, u->name, u->name_len);
	nbd_putf(&cli_out, "\n");
}

/* The TLS of the first connection that lives; they are all made alike. */
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

	nbd_putf(&cli_out, "  TLS:         ");
	if (!dev->b.uris[0].tls)
		nbd_putf(&cli_out, "no\n");
	else if (!find_tls(dev, &w))
		nbd_putf(&cli_out, "yes (the kernel does not say which)\n");
	else
		nbd_putf(&cli_out, "%s, %s\n", w.version, w.cipher);
}

/* The driver's own state stays "connected" when nothing lives any more. */
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
		nbd_putf(&cli_out,
			 "  Connections: %u live of %u wanted, room "
			 "for %u\n",
			 dev->live, dev->wanted, device_backend_slots(b));
	print_tls(dev);
	if (b->dead_timeout >= 0)
		nbd_putf(&cli_out,
			 "  Outage:      I/O waits %d s, then it fails\n",
			 b->dead_timeout);
	else
		nbd_putf(&cli_out, "  Outage:      I/O waits\n");
}

static void print_text(const struct device *dev)
{
	const struct nbdk_info *i = &dev->info;

	nbd_putf(&cli_out, "nbd%d\n  State:       %s\n", i->index, state(dev));
	if (!i->connected)
		return;
	nbd_putf(&cli_out, "  Backend:     %s\n", i->backend);
	if (dev->known)
		print_known(dev);
	nbd_putf(&cli_out, "  Size:        ");
	cli_put_size(i->size);
	nbd_putf(&cli_out,
		 "\n  Blocksize:   %u\n  Mode:        %s\n"
		 "  Queues:      %u\n",
		 i->block_size, i->read_only ? "read-only" : "read-write",
		 i->connections);
	if (i->io_timeout)
		nbd_putf(&cli_out, "  Timeout:     %u s\n",
			 i->io_timeout / 1000);
}

static void print_json_tls(const struct device *dev)
{
	struct device_tls_words w;

	nbd_putf(&cli_out, ", \"tls\": ");
	if (!dev->known)
		nbd_putf(&cli_out, "null");
	else if (!dev->b.uris[0].tls)
		nbd_putf(&cli_out, "false");
	else if (!find_tls(dev, &w))
		nbd_putf(&cli_out, "{\"version\": null, \"cipher\": null}");
	else
		nbd_putf(&cli_out, "{\"version\": \"%s\", \"cipher\": \"%s\"}",
			 w.version, w.cipher);
}

static void print_json(const struct device *dev, bool first)
{
	const struct nbdk_info *i = &dev->info;

	nbd_putf(&cli_out, "%s\n  {\"name\": \"nbd%d\", \"connected\": %s",
		 first ? "" : ",", i->index, i->connected ? "true" : "false");
	if (i->connected) {
		nbd_putf(&cli_out,
			 ", \"state\": \"%s\", \"backend\": ", state(dev));
		nbd_put_json(&cli_out, i->backend, strlen(i->backend));
		nbd_putf(&cli_out,
			 ", \"size\": %llu, \"block_size\": %u, "
			 "\"read_only\": %s, \"queues\": %u, "
			 "\"timeout_ms\": %u",
			 (unsigned long long)i->size, i->block_size,
			 i->read_only ? "true" : "false", i->connections,
			 i->io_timeout);
		print_json_tls(dev);
		cli_links_print_json(dev);
	}
	nbd_putf(&cli_out, "}");
}

struct list {
	bool all, json;
	unsigned n; /* printed so far */
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

	/* who names a device wants to see it, connected or not */
	l->all = true;
	for (; *names; names++) {
		int err = nbdk_parse_name(*names);

		if (err >= 0)
			err = nbdk_info(err, &dev->info);
		if (err < 0) {
			status = cli_fail(*names, err, NULL);
			continue;
		}
		device_read(dev, dev->info.index, NULL);
		print(l, dev);
	}
	return status;
}

int cmd_list(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'a', false, "all" },
						     { 'j', false, "json" },
						     { 0 } };
	static struct device dev;
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbdk_iter it = { 0 };
	struct list l = { false, false, 0 };
	int o, status = CLI_OK, flushed;

	while ((o = cli_next(&a, options)) > 0) {
		l.all |= o == 'a';
		l.json |= o == 'j';
	}
	if (o < 0)
		return CLI_USAGE;
	if (l.json)
		nbd_putf(&cli_out, "[");
	if (a.i < argc)
		status = list_named(&l, argv + a.i, &dev);
	else
		while ((o = nbdk_next(&it)) >= 0)
			if (device_read(&dev, o, NULL) != NBD_E_NO_DEVICE ||
			    l.all)
				print(&l, &dev);
	if (l.json)
		nbd_putf(&cli_out, l.n ? "\n]\n" : "]\n");
	flushed = cli_flush();
	return flushed ? flushed : status;
}
