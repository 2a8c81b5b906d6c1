/* SPDX-License-Identifier: BSD-2-Clause */
/* What a URI and options say about TLS. */
#include "boot/words/uri_tls.h"

#include <string.h>

#include "boot/words/credential.h"
#include "boot/words/version.h"
#include "port/credentials.h"

static bool wants_psk(const struct nbd_uri *uri)
{
	return uri->tls_type == NBD_TLS_PSK || *uri->tls_psk_file;
}

/* Options and URI keys for TLS are a mistake without nbds://. */
static int check_clear(const struct nbd_uri *uri, bool files,
		       struct nbd_diag *d)
{
	if (files || uri->tls_type || uri->tls_verify_peer >= 0 ||
	    *uri->tls_hostname || *uri->tls_certificates || *uri->tls_psk_file)
		return nbd_diag(d, NBD_E_USAGE,
				"options for TLS need nbds:// in place of "
				"nbd://");
	return 0;
}

int boot_tls_check(const struct nbd_uri *uri, const struct tls_files *files,
		   struct nbd_diag *d)
{
	bool named = files->ca || files->cert || files->key;
	bool x509 = uri->tls_type == NBD_TLS_X509 || *uri->tls_certificates;

	if (!uri->tls)
		return check_clear(uri, named, d);
	if (uri->tls_type == NBD_TLS_ANON)
		return nbd_diag(d, NBD_E_USAGE,
				"tls-type=anon is not supported: anybody on "
				"the wire could be the server");
	if (wants_psk(uri) && (x509 || named))
		return nbd_diag(d, NBD_E_USAGE,
				"both certificates and a pre-shared key: use "
				"one of the two");
	if (wants_psk(uri) && !*uri->tls_psk_file)
		return nbd_diag(d, NBD_E_USAGE,
				"tls-type=psk without tls-psk-file=");
	if (!files->cert != !files->key)
		return nbd_diag(d, NBD_E_USAGE,
				"a client certificate without its key, or a "
				"key without its certificate");
	return 0;
}

bool boot_tls_same(const struct nbd_uri *a, const struct nbd_uri *b)
{
	return a->tls == b->tls && a->tls_type == b->tls_type &&
	       !a->tls_verify_peer == !b->tls_verify_peer &&
	       !strcmp(a->tls_certificates, b->tls_certificates) &&
	       !strcmp(a->tls_psk_file, b->tls_psk_file) &&
	       (!wants_psk(a) || !strcmp(a->user, b->user));
}

/* ---- credentials ---- */

/* The path of a file in the directory that the URI names, or NULL. */
static const char *in_directory(const struct nbd_uri *uri, char *path,
				const char *name)
{
	if (!*uri->tls_certificates || nbd_fmt(path, BOOT_TLS_PATH, "%s/%s",
					       uri->tls_certificates, name) < 0)
		return NULL;
	return creds_exists(path) ? path : NULL;
}

/* What the directory lacks, the machine may have passed to init. */
static const char *own(const struct nbd_uri *uri, char *path, const char *name)
{
	const char *found = in_directory(uri, path, name);

	if (found || !*uri->tls_certificates)
		return found;
	nbd_fmt(path, BOOT_TLS_PATH, CREDENTIALS_DIR "/%s", name);
	return creds_exists(path) ? path : NULL;
}

static int find_certificates(struct tls_conf *conf, struct boot_tls_paths *p,
			     const struct nbd_uri *uri,
			     const struct tls_files *files, struct nbd_diag *d)
{
	conf->ca = in_directory(uri, p->path[0], "ca-cert.pem");
	/* firmware keeps files without a directory, too */
	if (*uri->tls_certificates && !conf->ca &&
	    !creds_exists(uri->tls_certificates))
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"tls-certificates=%s: there is no such "
				"directory",
				uri->tls_certificates);
	if (files->ca)
		conf->ca = files->ca;
	conf->cert = files->cert;
	conf->key = files->key;
	if (!conf->cert) {
		conf->cert = own(uri, p->path[1], "client-cert.pem");
		conf->key = own(uri, p->path[2], "client-key.pem");
	}
	if (!conf->cert != !conf->key)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"tls-certificates=%s: only one of "
				"client-cert.pem and client-key.pem is there",
				uri->tls_certificates);
	return 0;
}

int boot_tls_conf(struct tls_conf *conf, struct boot_tls_paths *p,
		  const struct nbd_uri *uri, const struct tls_files *files,
		  struct nbd_diag *d)
{
	*conf = (struct tls_conf){
		.verify = uri->tls_verify_peer != 0,
		.user = uri->user,
		.built = boot_built,
	};
	if (!wants_psk(uri))
		return find_certificates(conf, p, uri, files, d);
	conf->psk_file = uri->tls_psk_file;
	return 0;
}

/*
 * Of a service that is the domain which the user named (RFC 6125, 6.2.1): DNS
 * names its servers, and may lie.
 */
const char *boot_tls_name(const struct nbd_uri *uri)
{
	const char *domain = nbd_uri_service(uri->host);

	return *uri->tls_hostname ? uri->tls_hostname
	       : domain		  ? domain
	       : *uri->host	  ? uri->host
				  : "localhost";
}
