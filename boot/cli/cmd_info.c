/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot info: what a server says of an export.
 *
 *   first connection: size, flags, ...; map; latency --> goodbye
 *   second one, if the server knows of contexts: their names
 *
 * One after the other, as some servers talk to one client at a time.
 */
#include "boot/cli/info.h"

/* How long the answer to one request may take, in ms. */
#define ANSWER_MS    30000
/* Reads of --latency: how many, and of how many bytes if it may be. */
#define READS	     256u
#define READ_LEN     4096u
/* A list that never ends is the server's fault; nobody reads so far. */
#define CONTEXTS_MAX 1000u

/* The words of the command line. */
struct words {
	const char *name, *port;
	bool map, latency, simple;
};

/* ---- requests ---- */

static int explain(struct info *i, const struct nbd_op *op, int result)
{
	return nbd_diag(&i->d, result < 0 ? result : NBD_E_IO,
			"%s of %llu bytes at %llu: %s",
			op->type == NBD_CMD_READ ? "read" : "block status",
			(unsigned long long)op->len,
			(unsigned long long)op->offset,
			nbd_result_text(result));
}

int cli_info_ask(struct info *i, const struct nbd_op *op)
{
	struct nbd_client *c = &i->conn.c;
	uint64_t begin = nbd_now_ns();
	int result = nbd_submit(c, op), n, err;
	struct nbd_req *r;

	if (result < 0)
		return explain(i, op, result);
	i->conn.deadline = nbd_now_ms() + ANSWER_MS;
	err = dial_resume(&i->conn, &i->d);
	if (err)
		return explain(i, op, err);
	nbd_latency_add(&i->latency, op->type, nbd_now_ns() - begin);
	r = nbd_reap(c);
	n = (int)r->n_extents;
	result = nbd_req_result(r);
	nbd_release(c, r);
	return result ? explain(i, op, result) : n;
}

/* Reads here and there: in order, the server would read ahead. */
static int sample(struct info *i)
{
	static unsigned char block[65536];
	const struct nbd_export *e = nbd_export(&i->conn.c);
	uint64_t least = e->has_block ? e->min_block : 1, n;
	struct nbd_iov v = { block, READ_LEN };

	if (v.len < least)
		v.len = (size_t)least;
	if (v.len > nbd_max_payload(&i->conn.c))
		v.len = nbd_max_payload(&i->conn.c);
	if (v.len > e->size)
		v.len = (size_t)(e->size & -least);
	n = v.len ? e->size / v.len : 0;
	for (unsigned k = 0; n && k < READS; k++) {
		/* odd times anything visits every slot once */
		const struct nbd_op op = {
			.type = NBD_CMD_READ,
			.offset = k * 157u % READS * n / READS * v.len,
			.len = v.len,
			.iov = &v,
			.n_iov = 1,
		};
		int err = cli_info_ask(i, &op);

		if (err < 0)
			return err;
	}
	return 0;
}

/* ---- what the first connection knows ---- */

static const char *const replies[] = { "simple", "structured", "extended" };

/* Calls them by name, those without one by number. */
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
			nbd_putf(&cli_out, "%s%s%s%s", sep, quote, names[bit],
				 quote);
		else
			nbd_putf(&cli_out, "%s%s0x%x%s", sep, quote, 1u << bit,
				 quote);
		sep = between;
	}
}

static void put_text(const char *label, struct nbd_text t, const char *none)
{
	nbd_putf(&cli_out, "  %-12s %s", label, t.len ? "" : none);
	nbd_put_safe(&cli_out, t.p, t.len);
	nbd_putf(&cli_out, t.cut ? "...\n" : "\n");
}

static void print_text(const struct info *i, struct nbd_text name, bool tls)
{
	const struct nbd_client *c = &i->conn.c;
	const struct nbd_export *e = nbd_export(c);

	nbd_putf(&cli_out, "%s\n", i->subject);
	put_text("Name:", name, "[default export]");
	put_text("Description:", nbd_text(c), "not told");
	nbd_putf(&cli_out, "  Size:        ");
	cli_put_size(e->size);
	nbd_putf(&cli_out, "\n  Flags:       ");
	print_flags(e->flags, " ", "");
	nbd_putf(&cli_out, "\n  Blocksize:   ");
	if (!e->has_block)
		nbd_putf(&cli_out, "not told");
	else if (e->max_payload == UINT32_MAX)
		nbd_putf(&cli_out, "minimum %u, preferred %u, no maximum",
			 e->min_block, e->pref_block);
	else
		nbd_putf(&cli_out, "minimum %u, preferred %u, maximum %u",
			 e->min_block, e->pref_block, e->max_payload);
	nbd_putf(&cli_out,
		 "\n  TLS:         %s\n  Replies:     %s\n  Contexts:    ",
		 tls ? device_tls_suite() : "no", replies[nbd_replies(c)]);
}

static void print_json(const struct info *i, struct nbd_text name, bool tls)
{
	const struct nbd_client *c = &i->conn.c;
	const struct nbd_export *e = nbd_export(c);
	struct nbd_text text = nbd_text(c);

	nbd_putf(&cli_out, "{\n  \"name\": ");
	nbd_put_json(&cli_out, name.p, name.len);
	nbd_putf(&cli_out, ",\n  \"description\": ");
	nbd_put_json(&cli_out, text.p, text.len);
	nbd_putf(&cli_out, ",\n  \"size\": %llu,\n  \"flags\": [",
		 (unsigned long long)e->size);
	print_flags(e->flags, ", ", "\"");
	nbd_putf(&cli_out, "],\n  \"block_size\": ");
	if (e->has_block)
		nbd_putf(&cli_out,
			 "{\"minimum\": %u, \"preferred\": %u, "
			 "\"maximum\": %u}",
			 e->min_block, e->pref_block, e->max_payload);
	else
		nbd_putf(&cli_out, "null");
	nbd_putf(&cli_out,
		 ",\n  \"tls\": %s,\n  \"replies\": \"%s\",\n"
		 "  \"contexts\": ",
		 tls ? "true" : "false", replies[nbd_replies(c)]);
}

static void print_export(const struct info *i, const struct nbd_uri *u)
{
	struct nbd_text name = nbd_name(&i->conn.c);

	/* not every server says it again */
	if (!name.len)
		name = (struct nbd_text){ u->name, u->name_len, false };
	if (i->json)
		print_json(i, name, u->tls);
	else
		print_text(i, name, u->tls);
}

/* ---- what the second one lists ---- */

static void print_context(const struct info *i, struct nbd_text name,
			  unsigned n)
{
	if (i->json) {
		nbd_putf(&cli_out, n ? ", " : "[");
		nbd_put_json(&cli_out, name.p, name.len);
	} else {
		nbd_putf(&cli_out, n ? ", " : "");
		nbd_put_safe(&cli_out, name.p, name.len);
		nbd_putf(&cli_out, name.cut ? "..." : "");
	}
}

/* Prints their names and counts them in *n. */
static int list_contexts(struct info *i, const struct nbd_uri *u, unsigned *n)
{
	const struct nbd_config cfg = { .name = u->name,
					.name_len = u->name_len,
					.goal = NBD_GOAL_CONTEXTS,
					.tls = u->tls,
					.extra = NBD_BEST_REPLIES };
	struct conn *conn = &i->conn;
	int err = device_tls_dial(conn, 1, u, &cfg, &i->files, false, &i->d);

	while (!err && nbd_state(&conn->c) & NBD_ITEM) {
		if (*n == CONTEXTS_MAX) {
			err = nbd_diag(&i->d, NBD_E_LENGTH,
				       "the list goes on after %u", *n);
			break;
		}
		print_context(i, nbd_name(&conn->c), (*n)++);
		nbd_next(&conn->c);
		err = dial_resume(conn, &i->d);
	}
	dial_hangup(conn, 1);
	return err;
}

/*
 * That a server does not list them, or does not take a second connection, is
 * no failure: all else is known.  allocation: base:allocation was accepted.
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
		nbd_putf(&cli_out, i->json ? "]" : "");
	else if (err)
		nbd_putf(&cli_out, i->json ? "null" : "not told");
	else
		nbd_putf(&cli_out, i->json ? "[]" : "none");
	nbd_putf(&cli_out, i->json ? "\n}\n" : "\n");
	/* from UNSUP to NO_TLS: what the server itself says */
	if (err < NBD_E_NO_TLS || (err && err > NBD_E_UNSUP))
		cli_fail("metadata contexts", err, &i->d);
}

/* ---- the command ---- */

static int show(struct info *i, const struct words *w, const struct nbd_uri *u)
{
	const struct nbd_config cfg = {
		.name = u->name,
		.name_len = u->name_len,
		.tls = u->tls,
		.extra = w->simple ? NULL : NBD_BEST_REPLIES,
	};
	bool structured, allocation;
	int err =
		device_tls_dial(&i->conn, 1, u, &cfg, &i->files, false, &i->d);

	if (err)
		return err;
	structured = nbd_replies(&i->conn.c) != NBD_SIMPLE;
	allocation = nbd_has_context(&i->conn.c);
	if (!w->map)
		print_export(i, u);
	nbd_start(&i->conn.c, &i->io);
	if (w->map)
		err = cli_info_map(i);
	if (!err && w->latency)
		err = sample(i);
	dial_hangup(&i->conn, 1);
	if (err)
		return err;
	if (!w->map)
		print_contexts(i, u, structured, allocation);
	if (w->latency)
		nbd_latency_print(&i->latency, &cli_out);
	return 0;
}

static void take_option(struct info *i, struct words *w, int option,
			const char *value)
{
	switch (option) {
	case 'A':
	case 'C':
	case 'K':
		cli_tls_file(&i->files, option, value);
		break;
	case 'n':
		w->name = value;
		break;
	case 'p':
		w->port = value;
		break;
	case 'j':
		i->json = true;
		break;
	case 'm':
		w->map = true;
		break;
	case 'l':
		w->latency = true;
		break;
	default: /* S */
		w->simple = true;
	}
}

int cmd_info(int argc, char *argv[])
{
	static const struct cli_option options[] = {
		{ 'n', true, "name" },	   { 'p', true, "port" },
		{ 'j', false, "json" },	   { 'm', false, "map" },
		{ 'l', false, "latency" }, { 'S', false, "simple" },
		CLI_TLS_OPTIONS{ 0 },
	};
	static struct cli_target t;
	static struct info i;
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct words w = { 0 };
	int o, err;

	while ((o = cli_next(&a, options)) > 0)
		take_option(&i, &w, o, a.value);
	if (o < 0 || !cli_operands(&a, 1, 1))
		return CLI_USAGE;
	if (i.json && w.latency)
		return cli_usage(argv[0], "--latency is text: not with --json");
	i.subject = argv[a.i];
	err = cli_target(&t, i.subject, w.name, w.port, &i.d);
	if (!err) {
		cli_target_tls(&t, i.subject, &i.files);
		err = show(&i, &w, &t.uri);
	}
	device_tls_close();
	return err ? cli_fail(i.subject, err, &i.d) : cli_flush();
}
