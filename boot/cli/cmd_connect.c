/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot connect: a kernel block device from an export. */
#include "boot/cli/cli.h"
#include "boot/device/attach.h"
#include "port/linux/nbdk.h"

/* The words of the command line, as far as device_attach() does not want them. */
struct words {
	const char *name, *port;
};

static int take_device(struct attach *at, const struct cli_args *a)
{
	at->index = nbdk_parse_name(a->value);
	if (at->index >= 0)
		return 0;
	cli_no_device("connect", a->value);
	return -1;
}

/* One option; -1 after having told what is wrong with its value. */
static int take_option(struct attach *at, struct words *w, int option,
		       const struct cli_args *a)
{
	long v = 0;

	switch (option) {
	case 'c':
		v = cli_number(a, 1, CONFIG_PORT_MAX_CONNECTIONS);
		at->b.connections = (unsigned)v;
		break;
	case 'm':
		v = cli_number(a, 1, CONFIG_PORT_MAX_CONNECTIONS);
		at->b.slots = (unsigned)v;
		break;
	case 's':
		at->b.spread = true;
		break;
	case 'w':
		at->b.swap = true;
		break;
	case 'n':
		w->name = a->value;
		break;
	case 'p':
		w->port = a->value;
		break;
	case 'd':
		v = take_device(at, a);
		break;
	case 'b':
		v = cli_number(a, 512, 4096);
		at->block_size = (uint32_t)v;
		break;
	case 'R':
		at->read_only = true;
		break;
	case 't':
		v = cli_number(a, 1, 86400);
		at->io_timeout = (int)v;
		break;
	case 'D':
		v = cli_number(a, 0, INT32_MAX);
		at->b.dead_timeout = (int)v;
		break;
	default:
		cli_tls_file(&at->b.files, option, a->value);
	}
	return v < 0 ? -1 : 0;
}

/* The servers, in the order of the words. */
static int take_servers(struct attach *at, const struct words *w, char *words[],
			struct nbd_diag *d)
{
	static struct cli_target targets[BACKEND_SERVERS];
	int err = 0;

	for (; *words && !err; words++) {
		struct cli_target *t = &targets[at->b.servers];

		err = cli_target(t, *words, w->name, w->port, d);
		if (err)
			return cli_fail(*words, err, d);
		cli_target_tls(t, *words, &at->b.files);
		at->b.uris[at->b.servers++] = t->uri;
	}
	return CLI_OK;
}

int cmd_connect(int argc, char *argv[])
{
	static const struct cli_option options[] = {
		{ 'c', true, "connections" },
		{ 'n', true, "name" },
		{ 'p', true, "port" },
		{ 'd', true, "device" },
		{ 'b', true, "block-size" },
		{ 'R', false, "read-only" },
		{ 't', true, "timeout" },
		{ 'D', true, "dead-timeout" },
		CLI_SLOTS_OPTIONS CLI_TLS_OPTIONS{ 0 }
	};
	static struct attach at;
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct words w = { NULL, NULL };
	struct nbd_diag d = { "" };
	int o, err;

	at.b.connections = 1;
	at.index = -1;
	at.io_timeout = at.b.dead_timeout = ATTACH_DEFAULT;
	while ((o = cli_next(&a, options)) > 0)
		if (take_option(&at, &w, o, &a) < 0)
			return CLI_USAGE;
	if (o < 0 || !cli_operands(&a, 1, BACKEND_SERVERS))
		return CLI_USAGE;
	err = take_servers(&at, &w, argv + a.i, &d);
	if (err)
		return err;
	err = device_attach(&at, &d);
	if (err < 0)
		return cli_fail(argv[a.i], err, &d);
	nbd_putf(&cli_out, "nbd%d\n", err);
	return cli_flush();
}
