/* SPDX-License-Identifier: BSD-2-Clause */
/* The device of a root. */
#include "boot/root/connect.h"

#include <string.h>

#include "boot/device/attach.h"
#include "boot/common/console.h"

_Static_assert(ROOT_URIS == BACKEND_SERVERS, "servers of a device");

static struct attach a;

/* All servers, in their order: device_attach() tries them. */
static void take_servers(struct root_spec *r)
{
	static char strings[ROOT_TEXT];
	size_t used = 0;

	for (unsigned i = 0; i < r->uris; i++) {
		nbd_uri_parse(&a.b.uris[i], strings + used,
			      sizeof(strings) - used, r->uri[i]);
		used += strlen(r->uri[i]) + 1;
	}
	a.b.servers = r->uris;
}

int root_connect(struct root_spec *r, const struct cmdline *c,
		 struct root_env *env, const char *dev, struct nbd_diag *d)
{
	struct nbd_out o = { .buf = d->text, .cap = sizeof(d->text) - 1 };
	struct nbd_diag why;
	int rc;

	root_machine(env, dev);
	rc = root_parse(r, c, env, d);
	if (!rc && !r->uris)
		rc = nbd_diag(d, NBD_E_NOT_FOUND,
			      "DHCP has no root-path that names a server");
	if (rc)
		return rc;
	take_servers(r);
	a.b.connections = (unsigned)r->connections;
	a.b.swap = r->swap || c->swap;
	a.b.files = (struct tls_files){ r->ca, r->cert, r->key };
	a.index = r->device;
	a.block_size = r->block_size > 0 ? (uint32_t)r->block_size : 0;
	a.io_timeout = c->io_timeout ? c->io_timeout : r->io_timeout;
	a.b.dead_timeout = r->dead_timeout;
	/* what is written goes to the overlay */
	a.read_only = r->read_only || c->overlay;
	why.text[0] = '\0';
	rc = device_attach(&a, &why);
	/* of the servers that were tried before */
	if (rc >= 0 && why.text[0])
		boot_say("%s", why.text);
	if (rc < 0) {
		nbd_putf(&o, "%s: ", r->uri[0]);
		/* escaped already */
		nbd_put(&o, why.text, strlen(why.text));
		d->text[o.len] = '\0';
	}
	return rc;
}
