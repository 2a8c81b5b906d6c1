/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * root= as a list of URIs, for builds without the other forms: replaces
 * boot/words/root.c and boot/root/machine.c.  %h and the others are not
 * expanded.
 */
#include "boot/root/connect.h"

#include <string.h>

#include "boot/device/backend.h"

_Static_assert(ROOT_TEXT >= BACKEND_BUF, "room for the strings");

int root_parse(struct root_spec *r, const struct cmdline *c, struct nbd_diag *d)
{
	struct backend b;
	const char *no;

	memset(r, 0, offsetof(struct root_spec, text));
	if (!c->root || !nbd_is_uri(c->root))
		return nbd_diag(d, NBD_E_URI,
				"root=%s: not nbd://HOST[:PORT]/EXPORT",
				c->root ? c->root : "");
	if (device_backend_parse_uris(&b, r->text, c->root, d))
		return nbd_diag_prefix(d, NBD_E_URI, "root=%s", c->root);
	no = c->tls ? boot_uris_forbidden(b.uris, b.servers) : NULL;
	if (no)
		return nbd_diag(d, NBD_E_URI, "root=%s: %s", c->root, no);
	memcpy(r->uri, b.uris, sizeof(r->uri));
	r->uris = b.servers;
	r->cmd = c;
	r->part = c->part;
	r->fstype = c->fstype;
	r->options = c->flags;
	r->connections = c->connections;
	r->device = r->io_timeout = r->dead_timeout = ROOT_UNSET;
	return NBD_OK;
}

int root_expand(struct root_spec *r, const struct root_spec *spec,
		const struct root_env *env, struct nbd_diag *d)
{
	(void)env, (void)d;
	memcpy(r, spec, offsetof(struct root_spec, text));
	return NBD_OK;
}

void root_machine(struct root_machine *m, struct root_env *env, const char *dev)
{
	(void)m, (void)env, (void)dev;
}

unsigned root_local_port(const struct root_machine *m)
{
	(void)m;
	return 0;
}

void root_balance(struct root_spec *r, const struct root_machine *m)
{
	(void)r, (void)m;
}
