/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot connect: a kernel block device from an export. */
#include "boot/cli/cli.h"
#include "boot/attach.h"
#include "port/linux/nbdk.h"

/* The words of the command line, as far as attach() does not want them. */
struct words {
	const char *name, *port;
};

static int take_device(struct attach *at, const struct cli_args *a)
{
	at->index = nbdk_parse_name(a->value);
	if (at->index >= 0)
		return 0;
	cli_usage("connect",
		  "%s is not the name of an nbd device, such as "
		  "nbd0",
		  a->value);
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
		at->connections = (unsigned)v;
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
		at->dead_timeout = (int)v;
		break;
	default:
		cli_tls_file(&at->files, option, a->value);
	}
	return v < 0 ? -1 : 0;
}

int cmd_connect(int argc, char *argv[])
{
	static const struct cli_option options[] = {
		{ 'c', true, "connections" }, { 'n', true, "name" },
		{ 'p', true, "port" },	      { 'd', true, "device" },
		{ 'b', true, "block-size" },  { 'R', false, "read-only" },
		{ 't', true, "timeout" },     { 'D', true, "dead-timeout" },
		CLI_TLS_OPTIONS{ 0 }
	};
	static struct cli_target t;
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct attach at = { .connections = 1,
			     .index = -1,
			     .io_timeout = ATTACH_DEFAULT,
			     .dead_timeout = ATTACH_DEFAULT };
	struct words w = { NULL, NULL };
	struct nbd_diag d = { "" };
	int o, err;

	while ((o = cli_next(&a, options)) > 0)
		if (take_option(&at, &w, o, &a) < 0)
			return CLI_USAGE;
	if (o < 0 || !cli_operands(&a, 1, 1))
		return CLI_USAGE;
	err = cli_target(&t, argv[a.i], w.name, w.port, &d);
	if (!err) {
		cli_target_tls(&t, argv[a.i], &at.files);
		at.uri = t.uri;
		err = attach(&at, &d);
	}
	if (err < 0)
		return cli_fail(argv[a.i], err, &d);
	nbd_putf(&cli_out, "nbd%d\n", err);
	return cli_flush();
}
