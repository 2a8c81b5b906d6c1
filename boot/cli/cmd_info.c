/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot info: what a server reports about an export.
 *
 *   first connection: size, flags, content, ...; map; latency --> goodbye
 *   second connection, if the server has contexts: their names
 *
 * One after the other, as some servers serve one client at a time.
 */
#include "boot/cli/info.h"

#include <string.h>

/* No honest list is longer: it would never end. */
#define CONTEXTS_MAX 1000u

static const struct cli_option options[] = {
	{ "json", 0, NULL, "print an object, or with --map an array",
	  CLI_FIELD(struct cli_info, json) },
	{ "map", 0, NULL,
	  "print what is data, hole and zero: START LENGTH TYPE",
	  CLI_FIELD(struct cli_info, map) },
	{ "latency", 0, NULL, "measure how long 256 reads take",
	  CLI_FIELD(struct cli_info, latency) },
	{ "simple", 'S', NULL, "ask for simple replies",
	  CLI_FIELD(struct cli_info, simple) },
	{ "name", 'n', "NAME", "the export's name (the default export)",
	  CLI_FIELD(struct cli_info, server.name) },
	{ .more = cli_server_options, .at = offsetof(struct cli_info, server) },
};

/* ---- the report of the first connection ---- */

static const char *const replies[] = { "simple", "structured", "extended" };

/* Prints the names of flags, or the number of a flag that has none. */
static void print_flags(unsigned flags, const char *between, const char *quote)
{
	static const char *const names[16] = {
		[1] = "read-only",	 [2] = "send-flush",
		[3] = "send-fua",	 [4] = "rotational",
		[5] = "send-trim",	 [6] = "send-write-zeroes",
		[7] = "send-df",	 [8] = "can-multi-conn",
		[9] = "send-resize",	 [10] = "send-cache",
		[11] = "send-fast-zero",
	};
	const char *sep = "";

	for (unsigned bit = 1; bit < 16; bit++) {
		if (!(flags >> bit & 1))
			continue;
		if (names[bit])
			cli_putf("%s%s%s%s", sep, quote, names[bit], quote);
		else
			cli_putf("%s%s0x%x%s", sep, quote, 1u << bit, quote);
		sep = between;
	}
}

static void put_text(const char *label, struct nbd_text t, const char *none)
{
	cli_putf("  %-12s %s", label, t.len ? "" : none);
	nbd_put_safe(&cli_out, t.p, t.len);
	cli_putf(t.cut ? "...\n" : "\n");
}

static void print_text(const struct info *i, struct nbd_text name, bool tls)
{
	const struct nbd_client *c = &i->conn.c;
	const struct nbd_export *e = nbd_export(c);

	cli_putf("%s\n", i->subject);
	put_text("Name:", name, "[default export]");
	put_text("Description:", nbd_text(c), "not reported");
	cli_putf("  Size:        ");
	cli_put_size(e->size);
	cli_putf("\n  Flags:       ");
	print_flags(e->flags, " ", "");
	cli_putf("\n  Blocksize:   ");
	if (!e->has_block)
		cli_putf("not reported");
	else if (e->max_payload == UINT32_MAX)
		cli_putf("minimum %u, preferred %u, no maximum", e->min_block,
			 e->pref_block);
	else
		cli_putf("minimum %u, preferred %u, maximum %u", e->min_block,
			 e->pref_block, e->max_payload);
	cli_putf("\n  TLS:         %s%s%s\n  Replies:     %s\n  Contexts:    ",
		 tls ? device_tls_protocol(&i->tls) : "no", tls ? ", " : "",
		 tls ? device_tls_suite(&i->tls) : "", replies[nbd_replies(c)]);
}

static void print_json(const struct info *i, struct nbd_text name, bool tls)
{
	const struct nbd_client *c = &i->conn.c;
	const struct nbd_export *e = nbd_export(c);
	struct nbd_text text = nbd_text(c);

	cli_putf("{\n  \"name\": ");
	nbd_put_json(&cli_out, name.p, name.len);
	cli_putf(",\n  \"description\": ");
	nbd_put_json(&cli_out, text.p, text.len);
	cli_putf(",\n  \"size\": %llu,\n  \"flags\": [",
		 (unsigned long long)e->size);
	print_flags(e->flags, ", ", "\"");
	cli_putf("],\n  \"block_size\": ");
	if (e->has_block)
		cli_putf("{\"minimum\": %u, \"preferred\": %u, "
			 "\"maximum\": %u}",
			 e->min_block, e->pref_block, e->max_payload);
	else
		cli_putf("null");
	cli_putf(",\n  \"tls\": %s,\n  \"replies\": \"%s\",\n  \"contexts\": ",
		 tls ? "true" : "false", replies[nbd_replies(c)]);
}

static void print_export(const struct info *i, const struct nbd_uri *u)
{
	struct nbd_text name = nbd_name(&i->conn.c);

	/* not every server repeats it */
	if (!name.len)
		name = (struct nbd_text){ u->name, u->name_len, false };
	if (i->o->json)
		print_json(i, name, u->tls);
	else
		print_text(i, name, u->tls);
}

/* ---- the list of the second connection ---- */

static void print_context(const struct info *i, struct nbd_text name,
			  unsigned n)
{
	cli_putf(n ? ", " : i->o->json ? "[" : "");
	if (i->o->json) {
		nbd_put_json(&cli_out, name.p, name.len);
	} else {
		nbd_put_safe(&cli_out, name.p, name.len);
		cli_putf(name.cut ? "..." : "");
	}
}

/* Prints the names of the contexts and counts them in *n. */
static int list_contexts(struct info *i, const struct nbd_uri *u, unsigned *n)
{
	const struct nbd_config cfg = { .name = u->name,
					.name_len = u->name_len,
					.goal = NBD_GOAL_CONTEXTS,
					.tls = u->tls,
					.extra = NBD_BEST_REPLIES };
	struct conn *conn = &i->conn;
	int err = device_tls_dial(&i->tls, conn, 1, u, &cfg,
				  &i->o->server.files, false, i->d);

	while (!err && nbd_state(&conn->c) & NBD_ITEM) {
		if (*n == CONTEXTS_MAX) {
			err = nbd_diag(i->d, NBD_E_LENGTH,
				       "the list goes on after %u", *n);
			break;
		}
		print_context(i, nbd_name(&conn->c), (*n)++);
		nbd_next(&conn->c);
		err = dial_resume(conn, i->d);
	}
	dial_hangup(conn, 1);
	return err;
}

static void put_json(const char *key, const char *text)
{
	cli_putf(",\n  \"%s\": ", key);
	if (*text)
		nbd_put_json(&cli_out, text, strlen(text));
	else
		cli_putf("null");
}

static void print_holds(const struct info *i)
{
	const struct info_holds *h = &i->holds;

	if (i->o->json) {
		put_json("content", h->what);
		put_json("label", h->label);
		put_json("uuid", h->uuid);
		cli_putf("\n}\n");
		return;
	}
	cli_putf("\n");
	if (!h->looked)
		return;
	cli_putf("  Content:     %s%s", *h->what ? h->what : "not known",
		 *h->label ? ", label " : "");
	nbd_put_safe(&cli_out, h->label, strlen(h->label));
	cli_putf("%s%s\n", *h->uuid ? ", UUID " : "", h->uuid);
}

/*
 * A server that does not list its contexts, or accepts no second connection, is
 * no failure.  allocation: base:allocation was accepted.
 */
static void print_contexts(struct info *i, const struct nbd_uri *u, bool ask,
			   bool allocation)
{
	static const char base[] = "base:allocation";
	unsigned n = 0;
	int err = ask ? list_contexts(i, u, &n) : NBD_E_UNSUP;

	if (!n && allocation)
		print_context(i, (struct nbd_text){ base, sizeof(base) - 1, 0 },
			      n++);
	if (n)
		cli_putf(i->o->json ? "]" : "");
	else if (err)
		cli_putf(i->o->json ? "null" : "not reported");
	else
		cli_putf(i->o->json ? "[]" : "none");
	print_holds(i);
	/* errors from UNSUP to NO_TLS are answers of the server */
	if (err < NBD_E_NO_TLS || (err && err > NBD_E_UNSUP))
		cli_fail("metadata contexts", err, i->d);
}

/* ---- the command ---- */

/* An export that cannot be read has a description all the same. */
static void look_inside(struct info *i)
{
	int err = cli_info_holds(i);

	if (err)
		cli_fail("content", err, i->d);
	/* --latency is about reads of one size */
	i->times = (struct nbd_latency){ 0 };
}

static int show(struct info *i, const struct nbd_uri *u)
{
	const struct nbd_config cfg = {
		.name = u->name,
		.name_len = u->name_len,
		.tls = u->tls,
		.extra = i->o->simple ? NULL : NBD_BEST_REPLIES,
	};
	bool structured, allocation;
	int err = device_tls_dial(&i->tls, &i->conn, 1, u, &cfg,
				  &i->o->server.files, false, i->d);

	if (err)
		return cli_try_simple(&i->conn.c, err, i->d);
	structured = nbd_replies(&i->conn.c) != NBD_SIMPLE;
	allocation = nbd_has_context(&i->conn.c);
	if (!i->o->map)
		print_export(i, u);
	nbd_start(&i->conn.c, &i->io);
	if (i->o->map)
		err = cli_info_map(i);
	else
		look_inside(i);
	if (!err && i->o->latency)
		err = cli_info_sample(i);
	dial_hangup(&i->conn, 1);
	/* after an error the line ends, but nobody is asked */
	if (!i->o->map)
		print_contexts(i, u, structured && !err, allocation);
	if (!err && i->o->latency)
		nbd_latency_print(&i->times, &cli_out);
	return err;
}

static int run(struct cli_call *call)
{
	struct info i = { .o = call->options,
			  .subject = call->subject,
			  .d = &call->d };
	struct cli_target t;
	int err;

	if (i.o->json && i.o->latency)
		return cli_usage("info",
				 "--latency is text (leave out --json)");
	err = cli_target(&t, call->words[0], &i.o->server, &call->d);
	if (!err)
		err = show(&i, &t.uri);
	device_tls_close(&i.tls);
	return err;
}

const struct command cmd_info = {
	.name = "info",
	.group = CLI_COPY,
	.summary = "show what a server reports about an export",
	.operands = { 1, 1, { "URI|HOST|/SOCKET" } },
	.options = options,
	.run = run,
};
