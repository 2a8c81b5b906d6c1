/* SPDX-License-Identifier: BSD-2-Clause */
/* Connects the device of a root. */
#include "boot/root/connect.h"

#include <string.h>

#include "boot/system/console.h"
#include "boot/device/attach.h"

_Static_assert(ROOT_UNSET == ATTACH_DEFAULT, /* NOLINT: so it should be */
	       "time-outs that were not given");

static int attach(const struct root_spec *r, unsigned port, uint16_t *flags,
		  struct device_signals *held, struct nbd_diag *d)
{
	const struct cmdline *c = r->cmd;
	struct attach a = {
		.b = { .servers = r->uris,
		       .files = { r->ca, r->cert, r->key },
		       .connections = (unsigned)r->connections,
		       .slots = (unsigned)c->slots,
		       .port = port,
		       .swap = r->swap || c->swap,
		       .no_go = r->no_go,
		       .dead_timeout = r->dead_timeout },
		.index = r->device,
		.flags = flags,
		.block_size = r->block_size > 0 ? (uint32_t)r->block_size : 0,
		.identity = !c->no_identity,
		/* the overlay stores the changes */
		.read_only = r->read_only || r->overlay || c->overlay,
		.io_timeout = c->io_timeout ? c->io_timeout : r->io_timeout,
	};

	memcpy(a.b.uris, r->uri, sizeof(a.b.uris));
	return device_attach(&a, held, d);
}

int root_parse_export(struct root_spec *r, struct cmdline *words,
		      const struct cmdline *c, const char *uri,
		      struct nbd_diag *d)
{
	*words = (struct cmdline){ .root = uri,
				   .connections = 1,
				   .io_timeout = c->io_timeout,
				   .tls = c->tls,
				   .handed = c->handed,
				   .no_identity = c->no_identity };
	return root_parse(r, words, d);
}

int root_attach(const struct root_spec *r, const struct root_machine *m,
		uint16_t *flags, struct device_signals *held,
		struct nbd_diag *d)
{
	char uri[256];
	int rc;

	if (!r->uris)
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"DHCP has no root-path that names a server");
	d->text[0] = '\0';
	rc = attach(r, root_local_port(m), flags, held, d);
	if (rc < 0) {
		boot_uri_show(&r->uri[0], uri, sizeof(uri));
		return nbd_diag_prefix(d, rc, "%s", uri);
	}
	/* the failures of the servers that were tried before this one */
	if (d->text[0])
		boot_say("%s", d->text);
	return rc;
}

int root_connect(struct root_spec *r, const struct root_spec *spec,
		 struct root_env *env, const char *dev,
		 struct device_signals *held, struct nbd_diag *d)
{
	struct root_machine m;
	uint16_t flags = 0;
	int rc;

	root_machine(&m, env, dev);
	rc = root_expand(r, spec, env, d);
	if (!rc)
		root_balance(r, &m);
	if (!rc)
		rc = root_attach(r, &m, &flags, held, d);
	if (rc >= 0)
		root_warn_shared(r, env, flags);
	return rc;
}
