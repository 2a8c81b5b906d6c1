/* SPDX-License-Identifier: BSD-2-Clause */
/* The credentials of an nbds:// URI: of its keys, and the CA of -c. */
#include "boot/lwip/lwip.h"
#include "port/mbedtls/tls.h"

static struct {
	struct tls_session session;
	struct tls_conf conf;
} s;

int lwip_tls(const struct lwip_options *o, const struct nbd_uri *uri,
	     struct nbd_tls **tls, struct nbd_diag *d)
{
	int err;

	*tls = NULL;
	if (!uri->tls)
		return 0;
	s.conf = (struct tls_conf){
		.verify = uri->tls_verify_peer != 0,
		.ca = o->ca,
		.psk_file = *uri->tls_psk_file ? uri->tls_psk_file : NULL,
		.user = uri->user,
	};
	err = tls_load(&s.session, &s.conf, d);
	if (!err)
		err = tls_aim(&s.session,
			      *uri->tls_hostname ? uri->tls_hostname
						 : uri->host,
			      0, d);
	if (!err)
		*tls = &s.session.tls;
	return err;
}
