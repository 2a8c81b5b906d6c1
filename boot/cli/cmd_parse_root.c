/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot parse-root: what the words for the root say, for scripts. */
#include "boot/cli/cli.h"
#include "boot/root/connect.h"

#include <string.h>

/* 'VALUE', which no shell sees anything in. */
static void put_text(const char *key, const char *v)
{
	nbd_putf(&cli_out, "root_%s='", key);
	nbd_put_quoted(&cli_out, v);
	nbd_put(&cli_out, "'\n", 2);
}

enum kind { TEXT, NUMBER, YES };

static const struct field {
	char key[14];
	uint8_t at; /* in struct root_spec */
	uint8_t kind;
} fields[] = {
#define F(key, kind)                                        \
	{                                                   \
#key, offsetof(struct root_spec, key), kind \
	}
	F(part, TEXT),
	F(fstype, TEXT),
	F(options, TEXT),
	F(device, NUMBER),
	F(connections, NUMBER),
	F(block_size, NUMBER),
	F(io_timeout, NUMBER),
	F(dead_timeout, NUMBER),
	F(ca, TEXT),
	F(cert, TEXT),
	F(key, TEXT),
	F(tls, YES),
	F(read_only, YES),
	F(swap, YES),
	F(persist, YES),
	F(overlay, YES),
	F(from_dhcp, YES),
#undef F
};

/* All of them, given or not: what is not is empty. */
static void put_spec(const struct root_spec *r)
{
	char key[] = "uri2";

	put_text("uri", r->uri[0]);
	for (unsigned i = 1; i < r->uris; i++, key[3]++)
		put_text(key, r->uri[i]);
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

/* The words in a line, as the kernel has them; a bare URI is a root=. */
static int join(char line[CMDLINE_MAX + 1], char *const words[], int n,
		struct nbd_diag *d)
{
	struct nbd_out o = { .buf = line, .cap = CMDLINE_MAX };

	for (; n; n--, words++) {
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

int cmd_parse_root(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'm', true, "mac" },
						     { 'r', true, "root-path" },
						     { 's', true, "server" },
						     { 0 } };
	static char line[CMDLINE_MAX + 1];
	static struct cmdline c;
	static struct root_spec r;
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct root_env env = { .root_path = NULL };
	struct nbd_diag d = { "" };
	const char *mac = NULL;
	int o, err;

	while ((o = cli_next(&a, options)) > 0)
		*(o == 'm'   ? &mac
		  : o == 'r' ? &env.root_path
			     : &env.server) = a.value;
	if (o < 0 || !cli_operands(&a, 1, -1))
		return CLI_USAGE;
	root_machine(&env, "");
	if (mac)
		env.value[ROOT_MAC] = mac;
	err = join(line, argv + a.i, argc - a.i, &d);
	if (!err)
		err = boot_cmdline_parse(&c, line, &d);
	if (!err)
		err = root_parse(&r, &c, &env, &d);
	if (err)
		return cli_fail("parse-root", err, &d);
	if (r.note.text[0])
		cli_fail("these words have no effect", NBD_E_NOT_FOUND,
			 &r.note);
	put_spec(&r);
	return cli_flush();
}
