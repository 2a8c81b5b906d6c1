/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel command line and, behind its first newline, DHCP's root-path: what
 * is understood keeps the promises of root.h.
 */
#include "core/nbd_uri.h"
#include "boot/common/root.h"

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

static void check_text(const struct root_spec *r, const struct cmdline *c,
		       const char *p)
{
	same(!p || within(p, r->text, sizeof(r->text)) ||
	     within(p, c->text, sizeof(c->text)));
}

static void check(const struct root_spec *r, const struct cmdline *c)
{
	static char out[3 * ROOT_TEXT], buf[ROOT_TEXT];
	struct nbd_uri u;

	same(r->uris <= ROOT_URIS && (r->uris || r->from_dhcp));
	for (unsigned i = 0; i < r->uris; i++) {
		check_text(r, c, r->uri[i]);
		same(nbd_uri_parse(&u, buf, sizeof(buf), r->uri[i]) == 0);
		same(nbd_uri_print(&u, out, sizeof(out)) > 0);
		same(!strcmp(out, r->uri[i]));
		same(i || u.is_unix == r->is_unix);
	}
	check_text(r, c, r->part);
	check_text(r, c, r->fstype);
	check_text(r, c, r->options);
	check_text(r, c, r->ca);
	check_text(r, c, r->cert);
	check_text(r, c, r->key);
	same(r->connections >= 1 &&
	     r->connections <= CONFIG_PORT_MAX_CONNECTIONS);
	same(r->device >= ROOT_UNSET);
	same(memchr(r->note.text, '\0', sizeof(r->note.text)));
	for (const char *p = r->note.text; *p; p++)
		same((unsigned char)*p >= ' ' && *p != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cmdline c;
	static struct root_spec r;
	struct root_env env = { { "h%41", "52:54:00:00:00:01", NULL,
				  "s/ \xff" },
				NULL,
				"10.0.0.1" };
	struct nbd_diag d = { "" };
	char *line = malloc(size + 1), *newline;
	int err;

	if (size)
		memcpy(line, data, size);
	line[size] = '\0';
	newline = strchr(line, '\n');
	if (newline)
		env.root_path = newline + 1;
	if (boot_cmdline_parse(&c, line, &d) == 0) {
		for (unsigned i = 0; i < 2; i++) {
			d.text[0] = '\0';
			err = root_parse(&r, &c, i ? &env : NULL, &d);
			same(err == 0 || d.text[0]);
			if (!err)
				check(&r, &c);
		}
	}
	free(line);
	return 0;
}
