/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel TLS (Documentation/networking/tls.rst):
 *
 *   TCP_ULP "tls" --> TLS_TX --> TLS_RX --> plain send() and recv()
 *
 * The driver gets the cipher, the key, the salt and the number of the next
 * record.  recv() fails with EIO at a record that is no data, and leaves it to a
 * recvmsg() that asks for its type, too.
 */
#include "port/linux/ktls.h"
#include "port/linux/module.h"

#include <errno.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SOL_TLS
#define SOL_TLS 282
#endif

/* struct tls12_crypto_info_*: 2 + 2 bytes, iv, key, salt, record number */
#define INFO_MAX 56u

static const struct cipher {
	uint16_t type;
	uint8_t iv_len, key_len, salt_len;
	const char *name;
	const char *modules[4]; /* aliases; accelerated modules have them too */
} ciphers[] = {
	[NBD_AES_128_GCM] = { TLS_CIPHER_AES_GCM_128,
			      8,
			      16,
			      4,
			      "AES-128-GCM",
			      { "aes", "ctr", "ghash", "gcm" } },
	[NBD_AES_256_GCM] = { TLS_CIPHER_AES_GCM_256,
			      8,
			      32,
			      4,
			      "AES-256-GCM",
			      { "aes", "ctr", "ghash", "gcm" } },
	[NBD_CHACHA20_POLY1305] = { TLS_CIPHER_CHACHA20_POLY1305,
				    12,
				    32,
				    0,
				    "ChaCha20-Poly1305",
				    { "chacha20", "poly1305", "rfc7539" } },
};

_Static_assert(sizeof(struct tls12_crypto_info_aes_gcm_128) == 40 &&
		       sizeof(struct tls12_crypto_info_aes_gcm_256) == 56 &&
		       sizeof(struct tls12_crypto_info_chacha20_poly1305) == 56,
	       "the kernel's structs have padding");

/* Ignores errors: a module may be built in, or not exist for this CPU. */
static void load_modules(const struct cipher *c)
{
	char alias[32];

	mod_load("tls", "", NULL);
	for (unsigned i = 0; i < 4 && c->modules[i]; i++) {
		nbd_fmt(alias, sizeof(alias), "crypto-%s", c->modules[i]);
		mod_load_alias(alias, NULL);
	}
}

static int set_key(int fd, int direction, bool is_13,
		   const struct nbd_tls_key *k, const struct cipher *c)
{
	const struct tls_crypto_info head = { is_13 ? TLS_1_3_VERSION
						    : TLS_1_2_VERSION,
					      c->type };
	unsigned char info[INFO_MAX], *p = info, seq[8];
	/* TLS 1.2 with GCM: any number that comes only once */
	const unsigned char *iv = is_13 || !c->salt_len ? k->iv + c->salt_len
							: seq;
	int err;

	for (unsigned i = 0; i < 8; i++)
		seq[i] = (unsigned char)(k->seq >> (56 - 8 * i));
	memcpy(p, &head, sizeof(head));
	p += sizeof(head);
	memcpy(p, iv, c->iv_len);
	p += c->iv_len;
	memcpy(p, k->key, c->key_len);
	p += c->key_len;
	memcpy(p, k->iv, c->salt_len);
	p += c->salt_len;
	memcpy(p, seq, sizeof(seq));
	p += sizeof(seq);
	err = setsockopt(fd, SOL_TLS, direction, info, (socklen_t)(p - info));
	explicit_bzero(info, sizeof(info));
	return err;
}

int ktls_start(int fd, const struct nbd_tls_keys *keys, struct nbd_diag *d)
{
	const struct cipher *c = &ciphers[keys->aead];
	bool loaded = access("/sys/module/tls", F_OK) != 0;
	int err;

	/* load accelerated ciphers before the kernel chooses one */
	if (loaded)
		load_modules(c);
	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls"))) {
		bool cut = errno == ENOTCONN;

		return nbd_diag(d, cut ? NBD_E_CUT : NBD_E_TLS_KERNEL,
				"kernel TLS: %s",
				cut		  ? nbd_err_text(NBD_E_CUT)
				: errno == ENOENT ? "the module tls is missing"
						  : strerror(errno));
	}
	err = set_key(fd, TLS_TX, keys->is_13, &keys->tx, c);
	if (err && errno == ENOENT && !loaded) {
		load_modules(c);
		err = set_key(fd, TLS_TX, keys->is_13, &keys->tx, c);
	}
	/* EINVAL: it has no such number */
	if (err)
		return nbd_diag(d,
				errno == ENOENT || errno == EINVAL
					? NBD_E_NOT_FOUND
					: NBD_E_TLS_KERNEL,
				"kernel TLS with %s: %s", c->name,
				strerror(errno));
	if (set_key(fd, TLS_RX, keys->is_13, &keys->rx, c))
		return nbd_diag(d, NBD_E_IO, "kernel TLS with %s: %s", c->name,
				strerror(errno));
	return 0;
}

/* ---- a socket that we keep ---- */

/*
 * The record at which recv() has failed, or a part of it: 0 to go on, or as
 * nbd_tls_other().
 */
static int take_other(struct ktls *k)
{
	unsigned char text[1024];
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(1)];
	struct iovec v = { text, sizeof(text) };
	struct msghdr msg = { .msg_iov = &v,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(k->fd, &msg, MSG_DONTWAIT);
	const struct cmsghdr *head = n < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	int what;

	if (!head || head->cmsg_level != SOL_TLS ||
	    head->cmsg_type != TLS_GET_RECORD_TYPE)
		return n < 0 ? NBD_E_CUT : NBD_E_TLS;
	what = k->is_13 ? nbd_tls_other_13(*CMSG_DATA(head), text, (size_t)n,
					   &k->to_ignore)
			: nbd_tls_other(*CMSG_DATA(head), text, (size_t)n);
	return what >= NBD_TLS_NEW_KEY ? NBD_E_CUT : what;
}

static int read_kept(struct nbd_transport *t, void *buf, size_t len)
{
	struct ktls *k = (struct ktls *)t; /* its first member */
	unsigned idle_max = k->is_13 ? NBD_TLS_IDLE_MAX_13 : NBD_TLS_IDLE_MAX;
	int n;

	while (!k->ended) {
		n = k->below->read(k->below, buf, len);
		if (n > 0)
			k->idle = 0;
		/* data between the parts of a ticket */
		if (n > 0 && k->to_ignore)
			n = NBD_E_IO;
		/* EINVAL, EMSGSIZE: what came is no record */
		if (n == NBD_E_IO)
			n = NBD_E_TLS;
		else if (n == NBD_E_CUT)
			n = take_other(k);
		else
			return n;
		if (!n && ++k->idle > idle_max)
			n = NBD_E_TLS;
		k->ended = n != 0;
		k->err = n < 0 ? n : 0;
	}
	return k->err;
}

static int write_kept(struct nbd_transport *t, const struct nbd_iov v[],
		      unsigned n)
{
	struct nbd_transport *below = ((struct ktls *)t)->below;
	int rc = below->write(below, v, n);

	/* what came and is no record ends both directions, and either may see it */
	return rc == NBD_E_IO ? NBD_E_TLS : rc;
}

static void close_kept(struct nbd_transport *t)
{
	ktls_goodbye((struct ktls *)t);
}

void ktls_keep(struct ktls *k, struct nbd_transport *below, int fd, bool is_13)
{
	*k = (struct ktls){ .t = { read_kept, write_kept, close_kept },
			    .below = below,
			    .fd = fd,
			    .is_13 = is_13 };
}

void ktls_goodbye(struct ktls *k)
{
	unsigned char goodbye[2] = { NBD_TLS_WARNING, NBD_TLS_CLOSE_NOTIFY };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(1)] = { 0 };
	struct iovec v = { goodbye, sizeof(goodbye) };
	struct msghdr msg = { .msg_iov = &v,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);

	if (!k->below)
		return;
	k->below = NULL;
	head->cmsg_level = SOL_TLS;
	head->cmsg_type = TLS_SET_RECORD_TYPE;
	head->cmsg_len = CMSG_LEN(1);
	*CMSG_DATA(head) = NBD_TLS_ALERT;
	/* a server that is gone needs none */
	(void)sendmsg(k->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
}

const char *ktls_cipher(unsigned type)
{
	for (unsigned i = 0; i < sizeof(ciphers) / sizeof(ciphers[0]); i++)
		if (ciphers[i].type == type)
			return ciphers[i].name;
	return NULL;
}
