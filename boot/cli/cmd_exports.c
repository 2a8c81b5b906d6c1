/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot exports: what a server has to offer (NBD_OPT_LIST). */
#include "boot/cli/cli.h"
#include "boot/device/tls.h"

/* A list that never ends is the server's fault; nobody reads so far. */
#define EXPORTS_MAX 1000000u

static void print_json(const struct nbd_client *c, bool first)
{
	struct nbd_text name = nbd_name(c), text = nbd_text(c);

	nbd_putf(&cli_out, first ? "\n  {\"name\": " : ",\n  {\"name\": ");
	nbd_put_json(&cli_out, name.p, name.len);
	nbd_putf(&cli_out, ", \"description\": ");
	nbd_put_json(&cli_out, text.p, text.len);
	nbd_putf(&cli_out, "}");
}

static void print_text(const struct nbd_client *c)
{
	struct nbd_text name = nbd_name(c), text = nbd_text(c);

	if (name.len == 0)
		nbd_putf(&cli_out, "[default export]");
	nbd_put_safe(&cli_out, name.p, name.len);
	if (name.cut)
		nbd_putf(&cli_out, "...");
	if (text.len) {
		nbd_putf(&cli_out, "\t");
		nbd_put_safe(&cli_out, text.p, text.len);
	}
	nbd_putf(&cli_out, "\n");
}

/* One entry after the other, in the memory of one. */
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
		/* the server has no part in what a pager takes */
		conn->deadline += nbd_now_ms() - begin;
		nbd_next(&conn->c);
		err = dial_resume(conn, d);
	}
	return err;
}

static int print_list(const struct cli_target *t, const struct tls_files *files,
		      bool json, struct nbd_diag *d)
{
	static struct conn conn;
	const struct nbd_config cfg = { .goal = NBD_GOAL_LIST,
					.tls = t->uri.tls };
	int err = device_tls_dial(&conn, 1, &t->uri, &cfg, files, false, d);

	if (!err && json)
		nbd_putf(&cli_out, "[");
	if (!err)
		err = print_all(&conn, json, d);
	if (!err)
		dial_hangup(&conn, 1);
	if (!err && json)
		nbd_putf(&cli_out, "\n]\n");
	return err;
}

int cmd_exports(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'p', true, NULL },
						     { 'j', false, "json" },
						     CLI_TLS_OPTIONS{ 0 } };
	static struct cli_target t;
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct tls_files files = { NULL, NULL, NULL };
	const char *port = NULL;
	struct nbd_diag d = { "" };
	bool json = false;
	int o, err;

	while ((o = cli_next(&a, options)) > 0) {
		json |= o == 'j';
		if (o == 'p')
			port = a.value;
		else if (o != 'j')
			cli_tls_file(&files, o, a.value);
	}
	if (o < 0 || !cli_operands(&a, 1, 1))
		return CLI_USAGE;
	err = cli_target(&t, argv[a.i], NULL, port, &d);
	if (!err) {
		cli_target_tls(&t, argv[a.i], &files);
		err = print_list(&t, &files, json, &d);
	}
	device_tls_close();
	return err ? cli_fail(argv[a.i], err, &d) : cli_flush();
}
