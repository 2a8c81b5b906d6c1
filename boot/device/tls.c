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

#include <linux/tls.h>
#include <string.h>
#include <unistd.h>

/* ---- TLS that ends in the kernel ---- */

static struct device_tls *self(struct nbd_tls *kernel)
{
	return (struct device_tls *)kernel; /* its first member */
}

static int kernel_start(struct nbd_tls *kernel, unsigned conn,
			struct nbd_transport *below, struct nbd_diag *d)
{
	struct device_tls *t = self(kernel);
	struct nbd_tls *records = &t->session.tls;

	t->socks[conn] = (struct sock *)below; /* t is its first member */
	if (conn == 0)
		t->began = nbd_now_ms();
	return records->start(records, conn, below, d);
}

static int kernel_step(struct nbd_tls *kernel, unsigned conn,
		       struct nbd_diag *d)
{
	struct device_tls *t = self(kernel);
	struct nbd_tls *records = &t->session.tls;
	int err = records->step(records, conn, d);
	struct nbd_tls_keys keys;

	if (err)
		return err;
	tls_keys(&t->session, conn, &keys);
	tls_drop(&t->session, conn);
	err = ktls_start(t->socks[conn]->fd, &keys, d);
	if (err == NBD_E_NOT_FOUND) {
		t->missing |= 1u << keys.aead;
		err = NBD_E_TLS_KERNEL;
	}
	explicit_bzero(&keys, sizeof(keys));
	if (!err && conn == 0)
		boot_times_mark("TLS", t->began);
	return err;
}

static struct nbd_transport *kernel_transport(struct nbd_tls *kernel,
					      unsigned conn)
{
	return &self(kernel)->socks[conn]->t;
}

static void kernel_stop(struct nbd_tls *kernel, unsigned conn)
{
	tls_drop(&self(kernel)->session, conn);
}

/* ---- policy ---- */

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

int device_tls_check(const struct nbd_uri *uri, const struct tls_files *files,
		     bool kernel, struct nbd_diag *d)
{
	bool named = files->ca || files->cert || files->key;
	bool x509 = uri->tls_type == NBD_TLS_X509 || *uri->tls_certificates;

	if (!uri->tls)
		return check_clear(uri, named, d);
	if (kernel && uri->is_unix)
		return nbd_diag(d, NBD_E_USAGE,
				"the kernel has TLS only for TCP, not for "
				"UNIX sockets: use nbds://, or nbd+unix://");
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

bool device_tls_same(const struct nbd_uri *a, const struct nbd_uri *b)
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
	if (!*uri->tls_certificates || nbd_fmt(path, DEVICE_TLS_PATH, "%s/%s",
					       uri->tls_certificates, name) < 0)
		return NULL;
	return access(path, F_OK) == 0 ? path : NULL;
}

static int find_certificates(struct device_tls *t, const struct nbd_uri *uri,
			     const struct tls_files *files, struct nbd_diag *d)
{
	struct tls_conf *conf = &t->conf;

	if (*uri->tls_certificates && access(uri->tls_certificates, F_OK))
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"tls-certificates=%s: there is no such "
				"directory",
				uri->tls_certificates);
	conf->ca = files->ca ? files->ca
			     : in_directory(uri, t->paths[0], "ca-cert.pem");
	conf->cert = files->cert;
	conf->key = files->key;
	if (!conf->cert) {
		conf->cert = in_directory(uri, t->paths[1], "client-cert.pem");
		conf->key = in_directory(uri, t->paths[2], "client-key.pem");
	}
	if (!conf->cert != !conf->key)
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"tls-certificates=%s: only one of "
				"client-cert.pem and client-key.pem is there",
				uri->tls_certificates);
	return 0;
}

int device_tls_load(struct device_tls *t, const struct nbd_uri *uri,
		    const struct tls_files *files, struct nbd_diag *d)
{
	int err = 0;

	t->kernel = (struct nbd_tls){ kernel_start, kernel_step,
				      kernel_transport, kernel_stop };
	t->conf = (struct tls_conf){
		.verify = uri->tls_verify_peer != 0,
		.user = uri->user,
		.built = boot_built,
	};
	if (wants_psk(uri))
		t->conf.psk_file = uri->tls_psk_file;
	else
		err = find_certificates(t, uri, files, d);
	return err ? err : tls_load(&t->session, &t->conf, d);
}

/* The name that the server's certificate must have. */
static const char *name_of(const struct nbd_uri *uri)
{
	return *uri->tls_hostname ? uri->tls_hostname
	       : *uri->host	  ? uri->host
				  : "localhost";
}

int device_tls_dial(struct device_tls *t, struct conn conns[], unsigned n,
		    const struct nbd_uri *uri, const struct nbd_config *cfg,
		    const struct tls_files *files, bool kernel,
		    struct nbd_diag *d)
{
	int err = device_tls_check(uri, files, kernel, d);
	unsigned without;

	if (err)
		return err;
	conns->net = &sock_stack;
	if (!uri->tls)
		return dial(conns, n, uri, cfg, NULL, d);
	if (!t->session.creds)
		err = device_tls_load(t, uri, files, d);
	if (err)
		return err;
	t->missing = 0;
	do {
		without = t->missing;
		err = tls_aim(&t->session, name_of(uri), without, d);
		if (!err)
			err = dial(conns, n, uri, cfg,
				   kernel ? &t->kernel : &t->session.tls, d);
	} while (err == NBD_E_TLS_KERNEL && t->missing != without);
	return err;
}

void device_tls_close(struct device_tls *t)
{
	tls_unload(&t->session);
}

const char *device_tls_suite(const struct device_tls *t)
{
	return tls_suite(&t->session, 0);
}

const char *device_tls_version(void)
{
	return tls_version;
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
