/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of DNS (RFC 1035, 4) between a host and its name server: the codec,
 * which does no I/O.
 *
 *	ID, flags, counts: 12 bytes | question | answer record ...
 */
#ifndef PORT_DNS_MSG_H
#define PORT_DNS_MSG_H

#include "port/ip.h"

#define DNS_PORT      53
/* Bytes of a question with the longest name; of a name as text, and its NUL. */
#define DNS_QUERY_MAX 272
#define DNS_NAME_MAX  254

enum dns_type { DNS_A = 1, DNS_AAAA = 28, DNS_SRV = 33 };

/* What a datagram says about the question. */
enum dns_answer {
	DNS_OTHER,   /* nothing: it is no answer to it */
	DNS_REFUSED, /* the server cannot tell, or the answer is malformed */
	DNS_NONE,    /* the name has no such address */
	DNS_NO_NAME, /* nor one of another type (RFC 8020) */
	DNS_FOUND,
	DNS_CUT, /* not all of it: ask by TCP (RFC 7766, 5) */
};

/* Addresses of one type, or the targets of a service. */
#define DNS_ADDRS   16
#define DNS_TARGETS 8
struct dns_found {
	unsigned n;
	struct nbd_ip ip[DNS_ADDRS];
	struct dns_target *target; /* the caller's DNS_TARGETS, for DNS_SRV */
};

/* A server of a service (RFC 2782). */
struct dns_target {
	uint16_t priority; /* the lowest first */
	uint16_t weight;   /* its share among those of its priority */
	uint16_t port;	   /* not 0 */
	/* letters, digits, "-_." and no leading "-"; "": there is no service */
	char name[DNS_NAME_MAX];
};

/*
 * Writes a question.  Returns its length; 0: this cannot be a name.  A dot at
 * its end changes nothing.
 */
size_t dns_query(uint8_t buf[DNS_QUERY_MAX], uint16_t id, const char *name,
		 enum dns_type type);

/*
 * Reads an answer to the question q of q_len bytes.  What it has of that type
 * is added to f, whatever aliases lead to them; those that DNS_CUT came with
 * are whole.  Reads only p[0] to p[len - 1].
 */
enum dns_answer dns_read(const uint8_t *p, size_t len, const uint8_t *q,
			 size_t q_len, struct dns_found *f);

/*
 * The part of dns_read() that differs between builds: adds the SRV record with
 * the `size` bytes at msg[at], which are in the message of len bytes.  A record
 * with a name that no host can have is left out.  Of more than DNS_TARGETS those
 * with the lowest priority are kept, in its order.
 */
void dns_srv_take(struct dns_found *f, const uint8_t *msg, size_t len,
		  size_t at, size_t size);

/*
 * Puts n targets, which are in the order of their priority, into the order in
 * which to try them: those of one priority by chance and weight (RFC 2782).
 */
void dns_srv_order(struct dns_target t[], unsigned n, uint32_t *random);

#endif
