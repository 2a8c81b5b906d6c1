/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot exports: the exports that a server lists (NBD_OPT_LIST). */
#include "boot/cli/cli.h"

/* No honest list is longer: it would never end. */
#define EXPORTS_MAX 1000000u

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

	cli_putf(first ? "\n  {\"name\": " : ",\n  {\"name\": ");
	nbd_put_json(&cli_out, name.p, name.len);
	cli_putf(", \"description\": ");
	nbd_put_json(&cli_out, text.p, text.len);
	cli_putf("}");
}

static void print_text(const struct nbd_client *c)
{
	struct nbd_text name = nbd_name(c), text = nbd_text(c);

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

/* Prints one entry at a time, so that a long list needs no more memory. */
static int print_all(struct conn *conn, bool json, struct nbd_diag *d)
{
	unsigned n = 0;
	uint64_t begin;
	int err = 0;

	while (!err && nbd_state(&conn->c) & NBD_ITEM) {
		if (n == EXPORTS_MAX)
			return nbd_diag(d, NBD_E_LENGTH,
					"the list goes on after %u exports", n);
		begin = nbd_now_ms();
		if (json)
			print_json(&conn->c, n == 0);
		else
			print_text(&conn->c);
		n++;
		/* time in which a pager blocks is not the server's */
		conn->deadline += nbd_now_ms() - begin;
		nbd_next(&conn->c);
		err = dial_resume(conn, d);
	}
	return err;
}

static int print_list(const struct nbd_uri *u, const struct options *o,
		      struct nbd_diag *d)
{
	const struct nbd_config cfg = { .goal = NBD_GOAL_LIST, .tls = u->tls };
	struct device_tls tls = { .missing = 0 };
	struct conn conn = { .stop = NULL };
	int err = device_tls_dial(&tls, &conn, 1, u, &cfg, &o->server.files,
				  false, d);

	if (err)
		goto close;
	cli_putf(o->json ? "[" : "");
	err = print_all(&conn, o->json, d);
	if (err)
		goto close;
	dial_hangup(&conn, 1);
	cli_putf(o->json ? "\n]\n" : "");
close:
	device_tls_close(&tls);
	return err;
}

static int run(struct cli_call *call)
{
	const struct options *o = call->options;
	struct cli_target t;
	int err = cli_target(&t, call->words[0], &o->server, &call->d);

	if (!err)
		err = print_list(&t.uri, o, &call->d);
	return err;
}

const struct command cmd_exports = {
	.name = "exports",
	.summary = "list a server's exports: NAME<TAB>DESCRIPTION",
	.operands = { 1, 1, { "URI|HOST|/SOCKET" } },
	.options = options,
	.run = run,
};
