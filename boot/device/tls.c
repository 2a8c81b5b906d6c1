/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dialing with TLS:
 *
 *   policy --> credentials --> dial, handshake --> keys to the kernel
 *                    ^                  |               |
 *                    '---with TLS 1.3---'               |
 *                    '---without this cipher------------'  ENOENT
 *
 * Connections that the program keeps give their keys to the kernel, too, if
 * that makes their records faster; and else make them, without a word.
 */
#include "boot/device/tls.h"
#include "boot/system/times.h"
#include "port/mbedtls/creds.h"

#include <linux/tls.h>
#include <string.h>

static struct device_tls *self(struct nbd_tls *tls)
{
	return (struct device_tls *)tls; /* its first member */
}

/*
 * Gives the keys of a handshake that is done to the kernel.  TLS 1.3: then come
 * tickets, which nbd.ko would take for a failure.
 */
static int give_keys(struct device_tls *t, unsigned conn, struct nbd_diag *d)
{
	struct sock *s = t->socks[conn];
	struct nbd_tls_keys keys;
	int err = tls_keys(&t->session, conn, &keys)
			  ? ktls_start(s->fd, &keys, d)
			  : nbd_diag(d, NBD_E_NO_MEMORY, "TLS: out of memory");

	if (err == NBD_E_NOT_FOUND)
		t->missing |= 1u << keys.aead;
	if (!err && (t->bulk || keys.is_13))
		ktls_keep(&t->kept[conn], &s->t, s->fd, keys.is_13);
	explicit_bzero(&keys, sizeof(keys));
	return err;
}

/* ---- TLS that ends in the kernel ---- */

static int kernel_start(struct nbd_tls *tls, unsigned conn,
			struct nbd_transport *below, struct nbd_diag *d)
{
	struct device_tls *t = self(tls);
	struct nbd_tls *records = &t->session.tls;

	t->socks[conn] = (struct sock *)below; /* t is its first member */
	t->kept[conn].below = NULL;
	if (conn == 0)
		t->began = nbd_now_ms();
	return records->start(records, conn, below, d);
}

static int kernel_step(struct nbd_tls *tls, unsigned conn, struct nbd_diag *d)
{
	struct device_tls *t = self(tls);
	struct nbd_tls *records = &t->session.tls;
	int err = records->step(records, conn, d);

	if (err)
		return err;
	err = give_keys(t, conn, d);
	tls_drop(&t->session, conn);
	if (!err && conn == 0)
		boot_times_mark("TLS", t->began);
	return err == NBD_E_NOT_FOUND ? NBD_E_TLS_KERNEL : err;
}

static struct nbd_transport *kernel_transport(struct nbd_tls *tls,
					      unsigned conn)
{
	struct device_tls *t = self(tls);

	return t->kept[conn].below ? &t->kept[conn].t : &t->socks[conn]->t;
}

static void kernel_stop(struct nbd_tls *tls, unsigned conn)
{
	tls_drop(&self(tls)->session, conn);
}

static const struct nbd_tls for_kernel = { kernel_start, kernel_step,
					   kernel_transport, kernel_stop };

/* ---- TLS of a connection that is kept, and moves much ---- */

static int bulk_step(struct nbd_tls *tls, unsigned conn, struct nbd_diag *d)
{
	struct device_tls *t = self(tls);
	struct nbd_tls *records = &t->session.tls;
	int err = records->step(records, conn, d);

	if (err || t->no_kernel || !tls_is_slow(&t->session, conn))
		return err;
	err = give_keys(t, conn, d);
	t->no_kernel = err == NBD_E_TLS_KERNEL || err == NBD_E_NOT_FOUND;
	if (!err)
		tls_release(&t->session, conn);
	return t->no_kernel ? 0 : err;
}

static struct nbd_transport *bulk_transport(struct nbd_tls *tls, unsigned conn)
{
	struct device_tls *t = self(tls);
	struct nbd_tls *records = &t->session.tls;

	return t->kept[conn].below ? &t->kept[conn].t
				   : records->transport(records, conn);
}

static void bulk_stop(struct nbd_tls *tls, unsigned conn)
{
	struct device_tls *t = self(tls);
	struct nbd_tls *records = &t->session.tls;

	ktls_goodbye(&t->kept[conn]);
	records->stop(records, conn);
}

static const struct nbd_tls for_bulk = { kernel_start, bulk_step,
					 bulk_transport, bulk_stop };

/* ---- policy and credentials ---- */

int device_tls_check(const struct nbd_uri *uri, const struct tls_files *files,
		     bool kernel, struct nbd_diag *d)
{
	if (uri->tls && kernel && uri->is_unix)
		return nbd_diag(d, NBD_E_USAGE,
				"the kernel has TLS only for TCP, not for "
				"UNIX sockets: use nbds://, or nbd+unix://");
	return boot_tls_check(uri, files, d);
}

int device_tls_load(struct device_tls *t, const struct nbd_uri *uri,
		    const struct tls_files *files, struct nbd_diag *d)
{
	int err = boot_tls_conf(&t->conf, &t->paths, uri, files, d);

	return err ? err : tls_load(&t->session, &t->conf, d);
}

int device_tls_dial(struct device_tls *t, struct conn conns[], unsigned n,
		    const struct nbd_uri *uri, const struct nbd_config *cfg,
		    const struct tls_files *files, bool kernel,
		    struct nbd_diag *d)
{
	int err = device_tls_check(uri, files, kernel, d);
	bool bulk = t->bulk && !uri->is_unix;
	unsigned without, before;

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
	t->no_kernel = false;
	t->tls = kernel ? for_kernel : for_bulk;
	without = kernel ? TLS_ONLY_12 : 0;
	do {
		before = without;
		err = tls_aim(&t->session, boot_tls_name(uri), without, d);
		if (!err)
			err = dial(conns, n, uri, cfg,
				   kernel || bulk ? &t->tls : &t->session.tls,
				   d);
		if (err == NBD_E_TLS_KERNEL)
			without |= t->missing;
		else if (err && t->session.lacks_12)
			without &= ~TLS_ONLY_12;
	} while (err && without != before);
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

const char *device_tls_protocol(const struct device_tls *t)
{
	return tls_protocol(&t->session, 0);
}

const char *device_tls_ca(void)
{
	return creds_system_ca();
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
