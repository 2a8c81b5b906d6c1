/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot parse-root: prints the meaning of the words for the root, for
 * scripts.
 */
#include "boot/cli/cli.h"
#include "boot/root/connect.h"
#include "boot/root/handed.h"

#include <string.h>

struct options {
	bool connect, wanted;
	const char *mac;
	struct root_env env;
};

static const struct cli_option options[] = {
	{ "connect", 'c', NULL, "connect the root, and print its device",
	  CLI_FIELD(struct options, connect) },
	{ "wanted", 'w', NULL, "print only which word wants a root on NBD",
	  CLI_FIELD(struct options, wanted) },
	{ "mac", 'm', "MAC", "what %m stands for (that of the first link)",
	  CLI_FIELD(struct options, mac) },
	{ "root-path", 'r', "ROOTPATH", "DHCP's root-path",
	  CLI_FIELD(struct options, env.root_path) },
	{ "server", 's', "SERVER", "the address of DHCP's boot server",
	  CLI_FIELD(struct options, env.server) },
	{ 0 },
};

/* Prints KEY='VALUE', quoted for a shell. */
static void put_text(const char *key, const char *v)
{
	cli_putf("root_%s='", key);
	nbd_put_quoted(&cli_out, v);
	nbd_put(&cli_out, "'\n", 2);
}

enum kind { TEXT, NUMBER, YES };

static const struct field {
	char key[14];
	uint16_t at; /* in struct root_spec */
	uint8_t kind;
} fields[] = {
#define F(key, kind)                                        \
	{                                                   \
#key, offsetof(struct root_spec, key), kind \
	}
	F(part, TEXT),	       F(other, TEXT),	      F(fstype, TEXT),
	F(options, TEXT),      F(device, NUMBER),     F(connections, NUMBER),
	F(block_size, NUMBER), F(io_timeout, NUMBER), F(dead_timeout, NUMBER),
	F(ca, TEXT),	       F(cert, TEXT),	      F(key, TEXT),
	F(tls, YES),	       F(read_only, YES),     F(swap, YES),
	F(persist, YES),       F(overlay, YES),	      F(from_dhcp, YES),
#undef F
};

/* Prints a line for each server, at least one: "uri", "uri2" ... */
static int put_uris(const struct root_spec *r, struct nbd_diag *d)
{
	char text[ROOT_TEXT];
	char key[] = "uri\0";

	if (!r->uris)
		put_text(key, "");
	for (unsigned i = 0; i < r->uris; i++) {
		if (nbd_uri_print(&r->uri[i], text, sizeof(text)) < 0)
			return nbd_diag(d, NBD_E_NO_MEMORY,
					"a URI is too long");
		put_text(key, text);
		key[3] = (char)('2' + i);
	}
	return NBD_OK;
}

/* Prints every field; one that was not given is empty. */
static void put_fields(const struct root_spec *r)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *v = (const char *)r + fields[i].at;
		char number[12];

		if (fields[i].kind == TEXT) {
			v = *(const char *const *)v;
		} else {
			int n = fields[i].kind == YES
					? *(const bool *)v ? 1 : -1
					: *(const int *)v;

			nbd_fmt(number, sizeof(number), "%d", n);
			v = n < 0 ? "" : number;
		}
		put_text(fields[i].key, v);
	}
}

/* Joins the words into a kernel command line; a URI alone becomes root=URI. */
static int join(char line[CMDLINE_MAX + 1], char *words[], struct nbd_diag *d)
{
	struct nbd_out o = { .buf = line, .cap = CMDLINE_MAX };

	for (; *words; words++) {
		const char *equals = strchr(*words, '=');
		const char *colon = strchr(*words, ':');

		if (nbd_is_uri(*words) && (!equals || equals > colon))
			nbd_put(&o, "root=", 5);
		nbd_put(&o, *words, strlen(*words));
		nbd_put(&o, " ", 1);
	}
	line[o.len] = '\0';
	return o.cut ? nbd_diag(d, NBD_E_USAGE, "longer than %d bytes",
				CMDLINE_MAX - 1)
		     : 0;
}

/*
 * The root is nbd0, as others expect who know the command line only, even if
 * udev is looking at it; unless somebody else uses that.
 */
static int attach(struct root_spec *r, const struct root_machine *m,
		  struct nbd_diag *d)
{
	bool any = r->device < 0;
	int rc;

	if (any)
		r->device = 0;
	rc = root_attach(r, m, NULL, NULL, d);
	if (!any || rc != NBD_E_IN_USE)
		return rc;
	r->device = -1;
	return root_attach(r, m, NULL, NULL, d);
}

/* Its value is the last one that the words have. */
static int take_bootif(void *ctx, const char *name, const char *value,
		       struct nbd_diag *d)
{
	const char **bootif = ctx;

	(void)d;
	if (value && !strcmp(name, "BOOTIF"))
		*bootif = value;
	return NBD_OK;
}

static void put_network(const struct cmdline *c)
{
	const char *bootif = "";
	char words[CMDLINE_MAX];

	nbd_fmt(words, sizeof(words), "%s", c->line);
	boot_cmdline_each(words, take_bootif, &bootif, NULL);
	put_text("ip", c->ip ? c->ip : "");
	put_text("bootif", bootif);
}

/* Words of nbdboot ask for the same as others, and a time-out of theirs counts. */
static void add_words(struct root_spec *r, const struct cmdline *c)
{
	r->overlay |= c->overlay != NULL;
	r->swap |= c->swap;
	if (c->io_timeout)
		r->io_timeout = c->io_timeout;
}

static void note(const char *words)
{
	struct nbd_diag d;

	nbd_diag(&d, NBD_E_NOT_FOUND, "%s", words);
	cli_fail("these words have no effect", NBD_E_NOT_FOUND, &d);
}

static int run(struct cli_call *call)
{
	struct options *o = call->options;
	char line[CMDLINE_MAX + 1];
	struct cmdline c;
	struct root_spec spec, r;
	struct root_machine m;
	int err;

	call->subject = "parse-root";
	root_machine(&m, &o->env, "");
	if (o->mac)
		o->env.value[ROOT_MAC] = o->mac;
	err = join(line, call->words, &call->d);
	if (err)
		return err;
	err = boot_cmdline_parse(&c, line, &call->d);
	if (o->wanted) {
		put_text("wanted", root_wanted(&c));
		return CLI_OK;
	}
	if (err)
		return err;
	err = root_handed(&c, &call->d);
	if (err >= 0)
		err = root_parse_server(&spec, &c, &call->d);
	if (!err)
		err = root_expand(&r, &spec, &o->env, &call->d);
	if (err)
		return err;
	if (o->connect)
		r.device = attach(&r, &m, &call->d);
	if (o->connect && r.device < 0)
		return r.device;
	err = put_uris(&r, &call->d);
	if (err)
		return err;
	if (c.unknown)
		note(c.unknown);
	if (r.note.text[0])
		note(r.note.text);
	add_words(&r, &c);
	put_fields(&r);
	put_network(&c);
	return CLI_OK;
}

const struct command cmd_parse_root = {
	.name = "parse-root",
	.group = CLI_BOOT,
	.summary = "explain what a kernel command line says about the root",
	.help = "Prints KEY='VALUE' lines for eval.\n",
	.operands = { 1, CLI_ANY, { "STRING" } },
	.options = options,
	.run = run,
};
