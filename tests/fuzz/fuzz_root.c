/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel command line and, after its first newline, DHCP's root-path: the
 * result keeps the promises of root.h.
 */
#include "core/nbd_uri.h"
#include "boot/words/root.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

static bool within(const char *p, const char *area, size_t size)
{
	return p >= area && p < area + size &&
	       memchr(p, '\0', (size_t)(area + size - p));
}

/* In the text of r, of the spec that it was made from, or of c. */
static void check_text(const struct root_spec *r, const struct root_spec *from,
		       const char *p)
{
	same(!p || within(p, r->text, sizeof(r->text)) ||
	     within(p, from->text, sizeof(from->text)) ||
	     within(p, r->cmd->text, sizeof(r->cmd->text)));
}

/* Printing and parsing it again changes nothing. */
static void check_uri(const struct nbd_uri *u)
{
	static char out[4 * ROOT_TEXT], again[4 * ROOT_TEXT],
		buf[4 * ROOT_TEXT];
	struct nbd_uri v;

	same(nbd_uri_print(u, out, sizeof(out)) > 0);
	same(nbd_uri_parse(&v, buf, sizeof(buf), out) == 0);
	same(nbd_uri_print(&v, again, sizeof(again)) > 0);
	same(!strcmp(out, again));
	same(u->is_unix == v.is_unix && u->tls == v.tls && u->port == v.port &&
	     !strcmp(u->host, v.host) && u->name_len == v.name_len &&
	     !strcmp(u->name, v.name));
}

static void check(const struct root_spec *r, const struct root_spec *from)
{
	same(r->uris <= BOOT_URIS && (r->uris || r->from_dhcp));
	for (unsigned i = 0; i < r->uris; i++) {
		check_uri(&r->uri[i]);
		same(!*r->uri[i].name ||
		     within(r->uri[i].name, r->text, sizeof(r->text)) ||
		     within(r->uri[i].name, from->text, sizeof(from->text)));
		same(!r->uri[i].tls || r->tls);
	}
	check_text(r, from, r->part);
	check_text(r, from, r->fstype);
	check_text(r, from, r->options);
	check_text(r, from, r->ca);
	check_text(r, from, r->cert);
	check_text(r, from, r->key);
	same(r->connections >= 1 &&
	     r->connections <= CONFIG_PORT_MAX_CONNECTIONS);
	same(r->device >= ROOT_UNSET);
	same(memchr(r->note.text, '\0', sizeof(r->note.text)));
	for (const char *p = r->note.text; *p; p++)
		same((unsigned char)*p >= ' ' && *p != 0x7f);
}

/* What DHCP says of the mount holds nothing that a shell or udev expands. */
static void check_plain(const struct root_spec *r)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789+,-./:=@_";
	const struct cmdline *c = r->cmd;

	same(!r->fstype || c->fstype || !r->fstype[strspn(r->fstype, plain)]);
	same(!r->options || c->flags || !r->options[strspn(r->options, plain)]);
}

static void both_steps(const struct cmdline *c, const struct root_env *env)
{
	static struct root_spec spec, r;
	struct nbd_diag d = { "" };

	if (root_parse(&spec, c, &d)) {
		same(d.text[0]);
		return;
	}
	check(&spec, &spec);
	/* a second time the result is the same */
	for (unsigned i = 0; i < 2; i++) {
		unsigned uris = r.uris;
		int err = root_expand(&r, &spec, env, &d);

		same(err == 0 || d.text[0]);
		if (err)
			return;
		check(&r, &spec);
		if (spec.by == ROOT_BY_PATH)
			check_plain(&r);
		same(i == 0 || uris == r.uris);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cmdline c;
	struct root_env env = {
		.value = { "h%41", "52:54:00:00:00:01", NULL, "s/ \xff" },
		.server = "10.0.0.1",
		.first = (unsigned)size,
	};
	struct nbd_diag d = { "" };
	char *line = malloc(size + 1), *newline;

	if (size)
		memcpy(line, data, size);
	line[size] = '\0';
	newline = strchr(line, '\n');
	if (newline)
		env.root_path = newline + 1;
	if (boot_cmdline_parse(&c, line, &d) == 0)
		both_steps(&c, &env);
	free(line);
	return 0;
}
