/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot list: what sysfs and the backend identifier know of devices, and the
 * kernel of the TLS of their connections.
 */
#include "boot/cli/cli.h"
#include "port/linux/nbdk.h"

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

static void print_tls(const struct nbd_uri *u)
{
	struct secure_words w;

	nbd_putf(&cli_out, "  TLS:         ");
	if (!u->tls)
		nbd_putf(&cli_out, "no\n");
	else if (secure_in_kernel(u, &w))
		nbd_putf(&cli_out, "yes (the kernel does not say which)\n");
	else
		nbd_putf(&cli_out, "%s, %s\n", w.version, w.cipher);
}

/* Devices of other programs seldom have a URI: then there is nothing known. */
static bool parse_backend(const struct nbdk_info *i, struct nbd_uri *u)
{
	static char buf[NBDK_BACKEND_MAX + 16];

	return nbd_is_uri(i->backend) &&
	       nbd_uri_parse(u, buf, sizeof(buf), i->backend) == 0;
}

static void print_text(const struct nbdk_info *i)
{
	struct nbd_uri u;

	nbd_putf(&cli_out, "nbd%d\n  State:       %s\n", i->index,
		 i->connected ? "connected" : "disconnected");
	if (!i->connected)
		return;
	nbd_putf(&cli_out, "  Backend:     %s\n", i->backend);
	if (parse_backend(i, &u)) {
		print_uri(&u);
		print_tls(&u);
	}
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

static void print_json_tls(const struct nbdk_info *i)
{
	struct secure_words w;
	struct nbd_uri u;

	nbd_putf(&cli_out, ", \"tls\": ");
	if (!parse_backend(i, &u))
		nbd_putf(&cli_out, "null");
	else if (!u.tls)
		nbd_putf(&cli_out, "false");
	else if (secure_in_kernel(&u, &w))
		nbd_putf(&cli_out, "{\"version\": null, \"cipher\": null}");
	else
		nbd_putf(&cli_out, "{\"version\": \"%s\", \"cipher\": \"%s\"}",
			 w.version, w.cipher);
}

static void print_json(const struct nbdk_info *i, bool first)
{
	nbd_putf(&cli_out, "%s\n  {\"name\": \"nbd%d\", \"connected\": %s",
		 first ? "" : ",", i->index, i->connected ? "true" : "false");
	if (i->connected) {
		nbd_putf(&cli_out, ", \"backend\": ");
		nbd_put_json(&cli_out, i->backend, strlen(i->backend));
		nbd_putf(&cli_out,
			 ", \"size\": %llu, \"block_size\": %u, "
			 "\"read_only\": %s, \"queues\": %u, "
			 "\"timeout_ms\": %u",
			 (unsigned long long)i->size, i->block_size,
			 i->read_only ? "true" : "false", i->connections,
			 i->io_timeout);
		print_json_tls(i);
	}
	nbd_putf(&cli_out, "}");
}

struct list {
	bool all, json;
	unsigned n; /* printed so far */
};

static void print(struct list *l, const struct nbdk_info *i)
{
	if (!i->connected && !l->all)
		return;
	if (l->json)
		print_json(i, l->n == 0);
	else
		print_text(i);
	l->n++;
}

static int list_named(struct list *l, char *names[], struct nbdk_info *info)
{
	int status = CLI_OK;

	/* who names a device wants to see it, connected or not */
	l->all = true;
	for (; *names; names++) {
		int err = nbdk_parse_name(*names);

		if (err >= 0)
			err = nbdk_info(err, info);
		if (err < 0)
			status = cli_fail(*names, err, NULL);
		else
			print(l, info);
	}
	return status;
}

int cmd_list(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'a', false, "all" },
						     { 'j', false, "json" },
						     { 0 } };
	static struct nbdk_info info;
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
		status = list_named(&l, argv + a.i, &info);
	else
		while ((o = nbdk_next(&it)) >= 0)
			if (nbdk_info(o, &info) == 0)
				print(&l, &info);
	if (l.json)
		nbd_putf(&cli_out, l.n ? "\n]\n" : "]\n");
	flushed = cli_flush();
	return flushed ? flushed : status;
}
