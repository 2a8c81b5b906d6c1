/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dialing with TLS:
 *
 *   policy --> credentials --> dial, handshake --> keys to the kernel
 *                    ^                                  |
 *                    '---without this cipher------------'  ENOENT
 */
#include "boot/device/tls.h"
#include "boot/common/times.h"
#include "boot/common/version.h"
#include "port/linux/ktls.h"
#include "port/mbedtls/tls.h"

#include <linux/tls.h>
#include <string.h>
#include <unistd.h>

#define PATH_LEN 4200 /* a URI, and the name of a file */

static struct tls_conf conf;
static char paths[3][PATH_LEN];
/* The sockets that the handshakes go through, and what the kernel lacks. */
static struct sock *socks[CONFIG_PORT_MAX_CONNECTIONS];
static unsigned missing;
/* By device_tls_keep(). */
static bool kept;
static uint64_t began; /* the first handshake */

/* ---- TLS that ends in the kernel ---- */

static int kernel_start(struct nbd_tls *s, unsigned conn,
			struct nbd_transport *below, struct nbd_diag *d)
{
	(void)s;
	socks[conn] = (struct sock *)below; /* t is its first member */
	if (conn == 0)
		began = nbd_now_ms();
	return tls_records.start(&tls_records, conn, below, d);
}

static int kernel_step(struct nbd_tls *s, unsigned conn, struct nbd_diag *d)
{
	int err = tls_records.step(&tls_records, conn, d);
	struct nbd_tls_keys keys;

	(void)s;
	if (err)
		return err;
	tls_keys(conn, &keys);
	tls_drop(conn);
	err = ktls_start(socks[conn]->fd, &keys, d);
	if (err == NBD_E_NOT_FOUND) {
		missing |= 1u << keys.aead;
		err = NBD_E_TLS_KERNEL;
	}
	explicit_bzero(&keys, sizeof(keys));
	if (!err && conn == 0)
		boot_times_mark("TLS", began);
	return err;
}

static struct nbd_transport *kernel_transport(struct nbd_tls *s, unsigned conn)
{
	(void)s;
	return &socks[conn]->t;
}

static void kernel_stop(struct nbd_tls *s, unsigned conn)
{
	(void)s;
	tls_drop(conn);
}

static struct nbd_tls in_kernel = { kernel_start, kernel_step, kernel_transport,
				    kernel_stop };

/* ---- policy ---- */

/* A file in the folder of the URI, if it is there. */
static const char *in_folder(const struct nbd_uri *uri, unsigned i,
			     const char *name)
{
	if (!*uri->tls_certificates || nbd_fmt(paths[i], PATH_LEN, "%s/%s",
					       uri->tls_certificates, name) < 0)
		return NULL;
	return access(paths[i], F_OK) == 0 ? paths[i] : NULL;
}

static int take_certificates(const struct nbd_uri *uri,
			     const struct tls_files *files, struct nbd_diag *d)
{
	conf.ca = files->ca ? files->ca : in_folder(uri, 0, "ca-cert.pem");
	conf.cert = files->cert;
	conf.key = files->key;
	if (!conf.cert && !conf.key) {
		conf.cert = in_folder(uri, 1, "client-cert.pem");
		conf.key = in_folder(uri, 2, "client-key.pem");
	}
	if (!conf.cert != !conf.key)
		return nbd_diag(d, NBD_E_USAGE,
				"a client certificate without its key, or a "
				"key without its certificate");
	if (*uri->tls_certificates && access(uri->tls_certificates, F_OK))
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"tls-certificates=%s: there is no such folder",
				uri->tls_certificates);
	return 0;
}

/* Whom the server's certificate must be for. */
static const char *name_of(const struct nbd_uri *uri)
{
	return *uri->tls_hostname ? uri->tls_hostname
	       : *uri->host	  ? uri->host
				  : "localhost";
}

static int decide(const struct nbd_uri *uri, const struct tls_files *files,
		  bool kernel, struct nbd_diag *d)
{
	bool psk = uri->tls_type == NBD_TLS_PSK || *uri->tls_psk_file;
	bool x509 = uri->tls_type == NBD_TLS_X509 || *uri->tls_certificates ||
		    files->ca || files->cert || files->key;

	if (kernel && uri->is_unix)
		return nbd_diag(d, NBD_E_USAGE,
				"the kernel has TLS for TCP alone, not for "
				"UNIX sockets: use nbds://, or nbd+unix://");
	if (uri->tls_type == NBD_TLS_ANON)
		return nbd_diag(d, NBD_E_USAGE,
				"tls-type=anon is not supported: whoever sits "
				"on the wire could be the server");
	if (psk && x509)
		return nbd_diag(d, NBD_E_USAGE,
				"both certificates and a pre-shared key: use "
				"one of the two");
	if (psk && !*uri->tls_psk_file)
		return nbd_diag(d, NBD_E_USAGE,
				"tls-type=psk without tls-psk-file=");
	conf = (struct tls_conf){
		.verify = uri->tls_verify_peer != 0,
		.name = name_of(uri),
		.user = uri->user,
		.built = boot_built,
	};
	if (!psk)
		return take_certificates(uri, files, d);
	conf.psk_file = uri->tls_psk_file;
	return 0;
}

/* Words about TLS are a wish for TLS: no wish is dropped in silence. */
static int in_the_clear(const struct nbd_uri *uri,
			const struct tls_files *files, struct nbd_diag *d)
{
	if (files->ca || files->cert || files->key || uri->tls_type ||
	    uri->tls_verify_peer >= 0 || *uri->tls_hostname ||
	    *uri->tls_certificates || *uri->tls_psk_file)
		return nbd_diag(d, NBD_E_USAGE,
				"what is said about TLS needs nbds:// in place "
				"of nbd://");
	return 0;
}

int device_tls_dial(struct conn conns[], unsigned n, const struct nbd_uri *uri,
		    const struct nbd_config *cfg, const struct tls_files *files,
		    bool kernel, struct nbd_diag *d)
{
	int err = !uri->tls ? in_the_clear(uri, files, d)
		  : kept    ? 0
			    : decide(uri, files, kernel, d);

	if (err)
		return err;
	conf.name = name_of(uri);
	if (!uri->tls)
		return dial(conns, n, uri, cfg, NULL, d);
	missing = 0;
	do {
		conf.connections = kernel ? n : CONFIG_PORT_MAX_CONNECTIONS;
		conf.without = missing;
		/* later ones join those that are there */
		err = conns[0].number ? 0
		      : kept	      ? tls_again(&conf, d)
				      : tls_load(&conf, d);
		if (!err)
			err = dial(conns, n, uri, cfg,
				   kernel ? &in_kernel : &tls_records, d);
	} while (err == NBD_E_TLS_KERNEL && missing != conf.without);
	return err;
}

int device_tls_keep(const struct nbd_uri *uri, const struct tls_files *files,
		    struct nbd_diag *d)
{
	int err = decide(uri, files, true, d);

	conf.connections = 1;
	if (!err)
		err = tls_load(&conf, d);
	kept = !err;
	return err;
}

const char *device_tls_suite(void)
{
	static char text[80];

	nbd_fmt(text, sizeof(text), "TLS 1.2, %s", tls_suite(0));
	return text;
}

bool device_tls_words(const struct sockdiag_tls *tls,
		      struct device_tls_words *w)
{
	w->version = tls->version == TLS_1_2_VERSION   ? "TLS 1.2"
		     : tls->version == TLS_1_3_VERSION ? "TLS 1.3"
						       : NULL;
	w->cipher = ktls_cipher(tls->cipher);
	return w->version && w->cipher;
}

void device_tls_close(void)
{
	if (!kept)
		tls_unload();
}
