/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot exports: the exports that a server lists (NBD_OPT_LIST). */
#include "boot/cli/exports.h"

struct options {
	struct cli_server server;
	bool json;
};

static const struct cli_option options[] = {
	{ "json", 0, NULL, "print an array of objects",
	  CLI_FIELD(struct options, json) },
	{ .more = cli_server_options, .at = offsetof(struct options, server) },
};

static void print_json(const struct nbd_client *c, bool first)
{
	struct nbd_text name = nbd_name(c), text = nbd_text(c);

	cli_putf(first ? "[\n  {\"name\": " : ",\n  {\"name\": ");
	nbd_put_json(&cli_out, name.p, name.len);
	cli_putf(", \"description\": ");
	nbd_put_json(&cli_out, text.p, text.len);
	cli_putf("}");
}

static void print_text(const struct nbd_client *c, bool first)
{
	struct nbd_text name = nbd_name(c), text = nbd_text(c);

	(void)first;
	if (name.len == 0)
		cli_putf("[default export]");
	nbd_put_safe(&cli_out, name.p, name.len);
	if (name.cut)
		cli_putf("...");
	if (text.len) {
		cli_putf("\t");
		nbd_put_safe(&cli_out, text.p, text.len);
	}
	cli_putf("\n");
}

static int run(struct cli_call *call)
{
	const struct options *o = call->options;
	struct cli_target t;
	unsigned n = 0;
	int err = cli_target(&t, call->words[0], &o->server, &call->d);

	if (!err)
		err = cli_exports(&t.uri, &o->server.files,
				  o->json ? print_json : print_text, &n,
				  &call->d);
	if (o->json && (n || !err))
		cli_putf(n ? "\n]\n" : "[\n]\n");
	return err;
}

const struct command cmd_exports = {
	.name = "exports",
	.group = CLI_COPY,
	.summary = "list a server's exports: NAME<TAB>DESCRIPTION",
	.operands = { 1, 1, { "URI|HOST|/SOCKET" } },
	.options = options,
	.run = run,
};
