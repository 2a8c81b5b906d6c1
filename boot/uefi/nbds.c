/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS: a server's credentials are read when it is dialed. */
#include "boot/uefi/session.h"

#include <string.h>

#include "boot/words/uri_tls.h"
#include "port/credentials.h"
#include "port/uefi/uefi.h"

struct uefi_nbds {
	struct nbd_tls tls; /* first: it is found by its address */
	const struct uefi_session *s;
	struct tls_session session;
	struct tls_conf conf;
	struct boot_tls_paths paths;
	const struct nbd_uri *loaded; /* whose credentials; or NULL */
};

static const struct tls_files none;

static struct nbd_tls *records(struct nbd_tls *tls)
{
	return &((struct uefi_nbds *)tls)->session.tls;
}

/* Those of another server end every connection, and none lives then. */
static int load(struct uefi_nbds *x, const struct nbd_uri *u,
		struct nbd_diag *d)
{
	int rc;

	if (x->loaded == u)
		return NBD_OK;
	x->loaded = NULL;
	rc = boot_tls_conf(&x->conf, &x->paths, u, &none, d);
	if (!rc)
		rc = tls_load(&x->session, &x->conf, d);
	if (!rc)
		rc = tls_aim(&x->session, boot_tls_name(u), 0, d);
	if (!rc)
		x->loaded = u;
	return rc;
}

static int start(struct nbd_tls *tls, unsigned conn,
		 struct nbd_transport *below, struct nbd_diag *d)
{
	struct uefi_nbds *x = (struct uefi_nbds *)tls;
	int rc = load(x, &x->s->uris[x->s->disk.at], d);

	return rc ? rc : records(tls)->start(records(tls), conn, below, d);
}

static int step(struct nbd_tls *tls, unsigned conn, struct nbd_diag *d)
{
	return records(tls)->step(records(tls), conn, d);
}

static struct nbd_transport *transport(struct nbd_tls *tls, unsigned conn)
{
	return records(tls)->transport(records(tls), conn);
}

/* Of a connection that may not have been started. */
static void stop(struct nbd_tls *tls, unsigned conn)
{
	if (((struct uefi_nbds *)tls)->session.creds)
		records(tls)->stop(records(tls), conn);
}

/* Does any server need TLS, and can that be? */
static int check(const struct uefi_session *s, bool *any, struct nbd_diag *d)
{
	unsigned char byte;
	int rc = NBD_OK;

	*any = false;
	for (unsigned i = 0; i < s->n_uris && !rc; i++) {
		rc = boot_tls_check(&s->uris[i], &none, d);
		*any |= s->uris[i].tls;
	}
	if (!rc && *any && !creds_random(&byte, 1))
		rc = nbd_diag(d, NBD_E_NOT_OFFERED,
			      "TLS needs random numbers: this firmware has no "
			      "EFI_RNG_PROTOCOL, and the CPU no RDRAND");
	return rc;
}

int uefi_nbds_open(struct uefi_session *s, struct nbd_diag *d)
{
	bool any;
	int rc = check(s, &any, d);

	if (rc || !any)
		return rc;
	s->nbds = efi_pages(sizeof(*s->nbds));
	if (!s->nbds)
		return nbd_diag(d, NBD_E_NO_MEMORY, "TLS: out of memory");
	memset(s->nbds, 0, sizeof(*s->nbds));
	s->nbds->tls = (struct nbd_tls){ start, step, transport, stop };
	s->nbds->s = s;
	s->cfg.tls = &s->nbds->tls;
	return NBD_OK;
}

void uefi_nbds_close(struct uefi_session *s)
{
	if (!s->nbds)
		return;
	tls_unload(&s->nbds->session);
	efi_free_pages(s->nbds, sizeof(*s->nbds));
	s->nbds = NULL;
}
