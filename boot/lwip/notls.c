/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds without TLS: refuses nbds:// URIs.  Replaces tls.c. */
#include "boot/lwip/lwip.h"

int lwip_tls(const struct lwip_options *o, const struct nbd_uri *uri,
	     struct nbd_tls **tls, struct nbd_diag *d)
{
	(void)o;
	*tls = NULL;
	return uri->tls ? nbd_diag(d, NBD_E_USAGE, "this build has no TLS") : 0;
}
