/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds without TLS: what wants it is refused. */
#include "boot/device/tls.h"

int device_tls_dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
		    const struct nbd_config *cfg, const struct tls_files *files,
		    bool kernel, struct nbd_diag *d)
{
	(void)kernel, (void)files;
	if (uri->tls)
		return nbd_diag(d, NBD_E_USAGE, "this build has no TLS");
	return dial(conns, n, uri, cfg, NULL, d);
}

int device_tls_keep(const struct nbd_uri *uri, const struct tls_files *files,
		    struct nbd_diag *d)
{
	(void)uri, (void)files;
	return nbd_diag(d, NBD_E_USAGE, "this build has no TLS");
}

const char *device_tls_suite(void)
{
	return "";
}

bool device_tls_words(const struct sockdiag_tls *tls,
		      struct device_tls_words *w)
{
	(void)tls, (void)w;
	return false;
}

void device_tls_close(void)
{
}
