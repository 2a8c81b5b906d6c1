/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds without TLS: refuses nbds:// URIs.  Replaces tls.c. */
#include "boot/device/tls.h"

int device_tls_check(const struct nbd_uri *uri, const struct tls_files *files,
		     bool kernel, struct nbd_diag *d)
{
	(void)files, (void)kernel;
	return uri->tls ? nbd_diag(d, NBD_E_USAGE, "this build has no TLS") : 0;
}

int device_tls_load(struct device_tls *t, const struct nbd_uri *uri,
		    const struct tls_files *files, struct nbd_diag *d)
{
	(void)t;
	return device_tls_check(uri, files, false, d);
}

int device_tls_dial(struct device_tls *t, struct conn conns[], unsigned n,
		    const struct nbd_uri *uri, const struct nbd_config *cfg,
		    const struct tls_files *files, bool kernel,
		    struct nbd_diag *d)
{
	int err = device_tls_check(uri, files, kernel, d);

	(void)t;
	conns->net = &sock_stack;
	return err ? err : dial(conns, n, uri, cfg, NULL, d);
}

void device_tls_close(struct device_tls *t)
{
	(void)t;
}

const char *device_tls_suite(const struct device_tls *t)
{
	(void)t;
	return "";
}

const char *device_tls_protocol(const struct device_tls *t)
{
	(void)t;
	return "";
}

const char *device_tls_ca(void)
{
	return NULL;
}

const char *device_tls_version(void)
{
	return "no TLS";
}

bool device_tls_words(const struct sockdiag_tls *tls,
		      struct device_tls_words *w)
{
	(void)tls, (void)w;
	return false;
}
