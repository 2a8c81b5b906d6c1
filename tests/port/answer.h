/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of sock_diag about sockets. */
#ifndef TESTS_PORT_ANSWER_H
#define TESTS_PORT_ANSWER_H

#include "port/linux/netlink.h"
#include "tests/unit.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <linux/tls.h>
#include <linux/unix_diag.h>

/* Of include/net/tcp_states.h. */
enum { ESTABLISHED = 1, CLOSE_WAIT = 8 };

/* The mark of a TCP socket. */
#define TAG(index) (0x6e000000u | (uint32_t)(index) << 4)

/* One TCP socket in such an answer. */
struct answer {
	int family, state;
	uint32_t tag; /* 0: left out */
	const char *local, *peer, *ulp;
	uint16_t version, cipher, tx, rx; /* 0: left out */
	size_t info;			  /* bytes of struct tcp_info */
};

static const struct answer usual = { AF_INET,
				     ESTABLISHED,
				     TAG(3),
				     "192.0.2.2",
				     "192.0.2.1",
				     "tls",
				     TLS_1_2_VERSION,
				     TLS_CIPHER_AES_GCM_256,
				     TLS_CONF_SW,
				     TLS_CONF_SW,
				     sizeof(struct tcp_info) };

static inline void put_u16(struct nl_msg *m, unsigned type, uint16_t v)
{
	if (v)
		nl_put(m, type, &v, sizeof(v));
}

static inline void put_ulp(struct nl_msg *m, const struct answer *t)
{
	/* these nests have no NLA_F_NESTED */
	size_t ulp = m->len, tls;

	nl_put(m, INET_DIAG_ULP_INFO, NULL, 0);
	nl_put_str(m, INET_ULP_INFO_NAME, t->ulp);
	tls = m->len;
	nl_put(m, INET_ULP_INFO_TLS, NULL, 0);
	put_u16(m, TLS_INFO_VERSION, t->version);
	put_u16(m, TLS_INFO_CIPHER, t->cipher);
	put_u16(m, TLS_INFO_TXCONF, t->tx);
	put_u16(m, TLS_INFO_RXCONF, t->rx);
	nl_nest_end(m, tls);
	nl_nest_end(m, ulp);
}

static inline size_t put_answer(void *buf, size_t cap, uint32_t seq,
				const struct answer *t)
{
	struct inet_diag_msg d = { .idiag_family = (uint8_t)t->family,
				   .idiag_state = (uint8_t)t->state,
				   .id.idiag_sport = htons(40000),
				   .id.idiag_dport = htons(10809),
				   .id.idiag_cookie = { 77, 78 } };
	unsigned char info[sizeof(struct tcp_info) + 64] = { 0 };
	const struct tcp_info i = { .tcpi_rtt = 250,
				    .tcpi_min_rtt = 90,
				    .tcpi_total_retrans = 7,
				    .tcpi_bytes_acked = 1ull << 40,
				    .tcpi_bytes_received = 5 };
	struct nl_msg m;

	memcpy(info, &i, sizeof(i));
	assert_int_equal(inet_pton(t->family, t->local, d.id.idiag_src), 1);
	assert_int_equal(inet_pton(t->family, t->peer, d.id.idiag_dst), 1);
	nl_begin(&m, buf, cap, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI, &d, sizeof(d));
	nl_put(&m, INET_DIAG_SHUTDOWN, "", 1);
	if (t->tag)
		nl_put_u32(&m, INET_DIAG_CLASS_ID, t->tag);
	if (t->info)
		nl_put(&m, INET_DIAG_INFO, info, t->info);
	if (t->ulp)
		put_ulp(&m, t);
	assert_int_equal(nl_finish(&m, seq), 0);
	return m.len;
}

/* A UNIX socket; no name, shut -1: left out. */
static inline size_t tell_unix(void *buf, size_t cap, uint32_t seq,
			       const char *name, size_t len, int shut)
{
	const struct unix_diag_msg d = { .udiag_family = AF_UNIX,
					 .udiag_state = ESTABLISHED };
	const unsigned char byte = (unsigned char)shut;
	struct nl_msg m;

	nl_begin(&m, buf, cap, SOCK_DIAG_BY_FAMILY, NLM_F_MULTI, &d, sizeof(d));
	if (shut >= 0)
		nl_put(&m, UNIX_DIAG_SHUTDOWN, &byte, 1);
	if (name)
		nl_put(&m, UNIX_DIAG_NAME, name, len);
	assert_int_equal(nl_finish(&m, seq), 0);
	return m.len;
}

/* An abstract name and its length. */
#define NAME(s) "\0" s, sizeof("\0" s) - 1

#endif
