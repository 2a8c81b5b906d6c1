/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds without TLS: what wants it is refused. */
#include "boot/secure.h"

int secure_dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
		const struct nbd_config *cfg, const struct secure_files *files,
		bool kernel, struct nbd_diag *d)
{
	(void)kernel, (void)files;
	if (uri->tls)
		return nbd_diag(d, NBD_E_USAGE, "this build has no TLS");
	return dial(conns, n, uri, cfg, NULL, d);
}

int secure_keep(const struct nbd_uri *uri, const struct secure_files *files,
		struct nbd_diag *d)
{
	(void)uri, (void)files;
	return nbd_diag(d, NBD_E_USAGE, "this build has no TLS");
}

const char *secure_suite(void)
{
	return "";
}

bool secure_words(const struct sockdiag_tls *tls, struct secure_words *w)
{
	(void)tls, (void)w;
	return false;
}

void secure_close(void)
{
}
