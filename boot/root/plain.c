/* SPDX-License-Identifier: BSD-2-Clause */
/* root= as one URI, where there is no room for the other forms. */
#include "boot/root/connect.h"

#include <string.h>

#include "boot/device/attach.h"

static struct attach a;

int root_parse(struct root_spec *r, const struct cmdline *c,
	       const struct root_env *env, struct nbd_diag *d)
{
	struct nbd_diag why;

	(void)env;
	if (!c->root || !nbd_is_uri(c->root))
		return nbd_diag(d, NBD_E_URI,
				"root=%s is not root=nbd://HOST[:PORT]/EXPORT",
				c->root ? c->root : "");
	if (device_backend_parse_uris(&a.b, r->text, c->root, &why))
		return nbd_diag(d, NBD_E_URI, "root=%s: %s", c->root, why.text);
	r->is_unix = a.b.uris[0].is_unix;
	r->uri[0] = c->root;
	r->uris = 1;
	r->part = c->part;
	r->fstype = c->fstype;
	r->options = c->flags;
	a.b.connections = (unsigned)c->connections;
	a.index = -1;
	a.io_timeout = a.b.dead_timeout = ATTACH_DEFAULT;
	return NBD_OK;
}

int root_connect(struct root_spec *r, const struct cmdline *c,
		 struct root_env *env, const char *dev, struct nbd_diag *d)
{
	struct nbd_out o = { .buf = d->text, .cap = sizeof(d->text) - 1 };
	struct nbd_diag why;
	int rc = device_attach(&a, &why);

	(void)r;
	(void)env;
	(void)dev;
	if (rc < 0) {
		nbd_putf(&o, "%s: ", c->root);
		/* escaped already */
		nbd_put(&o, why.text, strlen(why.text));
		d->text[o.len] = '\0';
	}
	return rc;
}
