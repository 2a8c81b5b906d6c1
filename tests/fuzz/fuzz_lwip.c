/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames from the network, for lwIP and the port above it: a stack that gets an
 * address, resolves a name, connects, reads, writes and ends.  The input is a
 * list of records {kind, length, bytes}; a frame is made of the bytes so that
 * it passes the checks that chance would not: checksums, and what it answers.
 * Mutations know what records are, and what options and headers are in them.
 */
#include "port/lwip/lwip.h"
#include "tests/world/clock.h"

#include <sanitizer/asan_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned seed);

#define HEAD NBD_ETHER_HEADER

static const uint8_t our_mac[6] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t peer_mac[6] = { 2, 0, 0, 0, 0, 9 };
static const uint8_t our_ip[4] = { 10, 0, 0, 2 }, peer_ip[4] = { 10, 0, 0, 1 };
static const uint8_t our_ip6[16] = { 0xfe, 0x80, [11] = 0xff, 0xfe, 0, 0, 1 };
static const uint8_t peer_ip6[16] = { 0xfe, 0x80, [15] = 9 };

static struct {
	const uint8_t *in;
	size_t left;
	unsigned sent;
	uint8_t xid[4];		       /* of DHCP */
	uint8_t dns[512], dns_port[2]; /* the latest question */
	size_t dns_len;
	uint8_t port[2], seq[4], ack[4]; /* of TCP, as we sent them */
	uint8_t ip[4];			 /* ours, as we sent it */
} f;
static struct lwnet net;
static unsigned long long frames; /* of all inputs */

/* ---- frames ---- */

static void put16(uint8_t *p, size_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

static uint32_t add(uint32_t sum, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? p[i] : (uint32_t)p[i] << 8;
	return sum;
}

static unsigned fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

static size_t ether(uint8_t *p, unsigned type)
{
	memcpy(p, our_mac, 6);
	memcpy(p + 6, peer_mac, 6);
	put16(p + 12, type);
	return HEAD;
}

/* Header before len bytes of payload; frag is the field for fragments. */
static size_t ip4(uint8_t *p, unsigned proto, size_t len, unsigned frag)
{
	uint8_t *h = p + ether(p, 0x0800);

	memset(h, 0, 20);
	h[0] = 0x45;
	put16(h + 2, 20 + len);
	h[5] = 1;
	put16(h + 6, frag);
	h[8] = 64;
	h[9] = (uint8_t)proto;
	memcpy(h + 12, peer_ip, 4);
	memcpy(h + 16, f.ip, 4);
	put16(h + 10, fold(add(0, h, 20)));
	return HEAD + 20 + len;
}

static size_t ip6(uint8_t *p, unsigned next, size_t len)
{
	uint8_t *h = p + ether(p, 0x86dd);

	memset(h, 0, 8);
	h[0] = 0x60;
	put16(h + 4, len);
	h[6] = (uint8_t)next;
	h[7] = 255;
	memcpy(h + 8, peer_ip6, 16);
	memcpy(h + 24, our_ip6, 16);
	return HEAD + 40 + len;
}

static size_t raw(uint8_t *p, const uint8_t *b, size_t n)
{
	memcpy(p + ether(p, n & 1 ? 0x0800 : 0x86dd), b, n);
	return HEAD + n;
}

static size_t any_ip4(uint8_t *p, const uint8_t *b, size_t n)
{
	if (n < 1)
		return 0;
	memcpy(p + HEAD + 20, b, n);
	return ip4(p, b[0] % 3 == 0 ? 1 : b[0] % 3 == 1 ? 6 : 17, n, 0);
}

static size_t fragment(uint8_t *p, const uint8_t *b, size_t n)
{
	if (n < 2)
		return 0;
	memcpy(p + HEAD + 20, b + 2, n - 2);
	return ip4(p, 17, n - 2, (b[0] & 0x23u) << 8 | b[1]);
}

/* {flags, offset of the sequence number, options' words} options, payload */
static size_t tcp(uint8_t *p, const uint8_t *b, size_t n)
{
	uint8_t *t = p + HEAD + 20;
	size_t words, len;

	if (n < 4)
		return 0;
	words = b[2] % 11;
	len = 20 + n - 4;
	if (n - 4 < words * 4)
		words = (n - 4) / 4;
	memset(t, 0, 20);
	put16(t, 10809);
	memcpy(t + 2, f.port, 2);
	put32(t + 4, get32(f.ack) + (uint32_t)(int8_t)b[1] * (b[3] + 1u));
	put32(t + 8, get32(f.seq));
	t[12] = (uint8_t)((5 + words) << 4);
	t[13] = b[0] & 0x3f;
	put16(t + 14, b[3] * 256u);
	memcpy(t + 20, b + 4, n - 4);
	put16(t + 16,
	      fold(add(add(add((uint32_t)(6 + len), peer_ip, 4), f.ip, 4), t,
		       len)));
	return ip4(p, 6, len, 0);
}

static size_t udp(uint8_t *p, unsigned from, const uint8_t to[2], size_t len)
{
	uint8_t *u = p + HEAD + 20;

	put16(u, from);
	memcpy(u + 2, to, 2);
	put16(u + 4, 8 + len);
	put16(u + 6, 0);
	return ip4(p, 17, 8 + len, 0);
}

/* Options. */
static size_t dhcp(uint8_t *p, const uint8_t *b, size_t n)
{
	static const uint8_t client[2] = { 0, 68 },
			     magic[4] = { 0x63, 0x82, 0x53, 0x63 };
	uint8_t *m = p + HEAD + 28;

	memset(m, 0, 240);
	m[0] = 2;
	m[1] = 1;
	m[2] = 6;
	memcpy(m + 4, f.xid, 4);
	memcpy(m + 16, our_ip, 4);
	memcpy(m + 28, our_mac, 6);
	memcpy(m + 236, magic, 4);
	memcpy(m + 240, b, n);
	return udp(p, 67, client, 240 + n);
}

/* {flags, answers} and records */
static size_t dns(uint8_t *p, const uint8_t *b, size_t n)
{
	uint8_t *m = p + HEAD + 28;

	if (n < 2 || !f.dns_len)
		return 0;
	memcpy(m, f.dns, f.dns_len);
	m[2] = 0x80;
	m[3] = b[0];
	m[7] = b[1];
	memcpy(m + f.dns_len, b + 2, n - 2);
	return udp(p, 53, f.dns_port, f.dns_len + n - 2);
}

/* ICMPv6: advertisements, solicitations, whatever the type says */
static size_t icmp6(uint8_t *p, const uint8_t *b, size_t n)
{
	uint8_t *c = p + HEAD + 40;

	if (n < 4)
		return 0;
	memcpy(c, b, n);
	put16(c + 2, 0);
	put16(c + 2,
	      fold(add(add(add((uint32_t)(58 + n), peer_ip6, 16), our_ip6, 16),
		       c, n)));
	return ip6(p, 58, n);
}

static size_t any_ip6(uint8_t *p, const uint8_t *b, size_t n)
{
	if (n < 1)
		return 0;
	memcpy(p + HEAD + 40, b + 1, n - 1);
	return ip6(p, b[0], n - 1);
}

static size_t arp(uint8_t *p, const uint8_t *b, size_t n)
{
	static const uint8_t head[8] = { 0, 1, 8, 0, 6, 4, 0, 0 };
	uint8_t *a = p + ether(p, 0x0806);

	memcpy(a, head, 8);
	a[7] = n ? b[0] & 3 : 2;
	memcpy(a + 8, peer_mac, 6);
	memcpy(a + 14, peer_ip, 4);
	memcpy(a + 18, our_mac, 6);
	memcpy(a + 24, f.ip, 4);
	return HEAD + 28;
}

enum { RAW, ANY_IP4, FRAGMENT, TCP, DHCP, DNS, ICMP6, ANY_IP6, ARP, KINDS };
static size_t (*const kinds[KINDS])(uint8_t *p, const uint8_t *b, size_t n) = {
	raw, any_ip4, fragment, tcp, dhcp, dns, icmp6, any_ip6, arp,
};

/* ---- the interface ---- */

static int receive(struct nbd_ether *e, void *buf, size_t cap)
{
	uint8_t p[2048];
	size_t n, len;
	unsigned kind;
	const uint8_t *b;

	(void)e;
	if (f.left < 2) {
		f.left = 0;
		return 0;
	}
	kind = f.in[0] % (KINDS + 1);
	n = f.in[1] * (f.in[0] & 0x80 ? 5u : 1u);
	b = f.in + 2;
	f.left -= 2;
	if (n > f.left)
		n = f.left;
	f.in += 2 + n;
	f.left -= n;
	if (kind == KINDS) { /* time */
		world.now += n ? b[0] * (n > 1 ? b[1] * 16u : 1u) : 1;
		return 0;
	}
	len = kinds[kind](p, b, n);
	if (!len || len > cap)
		return 0;
	/* what follows the frame in its buffer is not for lwIP */
	ASAN_UNPOISON_MEMORY_REGION(buf, cap + LWNET_SLACK);
	memcpy(buf, p, len);
	ASAN_POISON_MEMORY_REGION((uint8_t *)buf + len + LWNET_SLACK,
				  cap - len);
	frames++;
	return (int)len;
}

static void learn(const uint8_t *p, size_t len)
{
	const uint8_t *u = p + HEAD + 20;

	if (len < HEAD + 28 || p[12] != 8 || p[13] != 0)
		return;
	if (p[23] == 6 && len >= HEAD + 40) {
		uint32_t more = (u[13] & 3 ? 1 : 0) +
				(uint32_t)(len - HEAD - 20) -
				(uint32_t)(u[12] >> 4) * 4;

		memcpy(f.port, u, 2);
		put32(f.seq, get32(u + 4) + more);
		memcpy(f.ack, u + 8, 4);
	} else if (p[23] == 17 && u[3] == 67) {
		memcpy(f.xid, u + 12, 4);
	} else if (p[23] == 17 && u[3] == 53) {
		memcpy(f.dns_port, u, 2);
		f.dns_len = len - HEAD - 28;
		memcpy(f.dns, u + 8, f.dns_len);
	}
	if (p[26])
		memcpy(f.ip, p + 26, 4);
}

static int send_frame(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	uint8_t p[2048];
	size_t len = 0;

	(void)e;
	for (unsigned i = 0; i < n; i++) {
		if (v[i].len > sizeof(p) - len)
			abort(); /* longer than the MTU */
		memcpy(p + len, v[i].base, v[i].len);
		len += v[i].len;
	}
	if (len > HEAD + 1500u)
		abort();
	learn(p, len);
	return ++f.sent % 16 ? 0 : NBD_E_AGAIN;
}

/* Time passes; without it, nothing would end. */
static void pass(struct nbd_ether *e, unsigned ms)
{
	(void)e;
	world.now += f.left ? (ms < 20 ? ms : 20) : ms;
	world.now++;
}

/* ---- a program on it ---- */

static void talk(void)
{
	const struct nbd_uri uri = { .host = "srv.example", .port = 10809 };
	struct sock_addr a[SOCK_MAX_ADDRS];
	struct sock s = { .fd = -1 };
	struct nbd_iov v = { f.dns, sizeof(f.dns) };
	uint8_t buf[4096];
	struct nbd_diag d;
	int rc;

	if (f.left & 1 || lwnet_resolve(&net.stack, &uri, a, &d) < 1) {
		a[0] = (struct sock_addr){ .port = 10809 };
		a[0].host = nbd_ip_of(peer_ip, 4);
	}
	if (lwnet_connect(&net.stack, &s, &a[0]) != NBD_E_AGAIN)
		return;
	while (f.left && s.fd >= 0) {
		struct nbd_event ev = { s.fd, f.left & 2 ? 1 : 2, false };

		net.stack.wait(&net.stack, &ev, 1, 10);
		if (!ev.ready)
			continue;
		rc = ev.want & NBD_SEND ? s.t.write(&s.t, &v, 1)
					: s.t.read(&s.t, buf, sizeof(buf));
		if (rc <= 0 && rc != NBD_E_AGAIN)
			break;
	}
	if (s.fd >= 0)
		s.t.close(&s.t);
}

static void assert_frames(void)
{
	unsigned n = 0;

	for (const struct lwnet_frame *p = net.free; p; p = p->next)
		n++;
	if (n != CONFIG_PORT_LWIP_FRAMES)
		abort();
}

/* ---- records that make sense ---- */

/* A record's bytes as they are written. */
struct record {
	uint8_t b[250];
	size_t n;
};

static unsigned draw(unsigned below)
{
	return (unsigned)rand() % below;
}

static void put(struct record *r, unsigned v)
{
	if (r->n < sizeof(r->b))
		r->b[r->n++] = (uint8_t)v;
}

static void put_any(struct record *r, size_t n)
{
	while (n--)
		put(r, draw(4) ? draw(256) : draw(2) * 255);
}

static unsigned one_of(const char *v, size_t n)
{
	return draw(16) ? (uint8_t)v[draw((unsigned)n - 1)] : draw(256);
}
#define ONE_OF(v) one_of(v, sizeof(v))

/* One time of 16 a length is wrong. */
static unsigned length(unsigned n)
{
	return draw(16) ? n : draw(256);
}

static void make_dhcp(struct record *r)
{
	put(r, 53);
	put(r, 1);
	put(r, ONE_OF("\2\2\5\5\5\6"));
	for (unsigned i = draw(8); i; i--) {
		/* mask, router, DNS, lease, overload, server, T1, T2 */
		unsigned len = draw(4) ? 4 : draw(24);

		put(r, ONE_OF("\1\3\6\x33\x34\x36\x3a\x3b\x1a\x0c"));
		put(r, length(len));
		put_any(r, len);
	}
	if (draw(8))
		put(r, 255);
}

static void put_name(struct record *r)
{
	unsigned len;

	if (draw(2)) {
		put(r, 0xc0 | draw(2));
		put(r, draw(4) ? 12 : draw(256));
		return;
	}
	for (unsigned i = draw(4); i; i--) {
		len = draw(12);
		put(r, length(len));
		put_any(r, len);
	}
	put(r, 0);
}

static void make_dns(struct record *r)
{
	unsigned n = draw(6), len;

	put(r, draw(4) ? 0 : draw(16));
	put(r, length(n));
	for (; n; n--) {
		static const uint8_t types[] = { 1, 1, 28, 28, 5, 41 };
		unsigned type = types[draw(sizeof(types))];

		put_name(r);
		put(r, 0);
		put(r, type);
		put(r, 0);
		put(r, 1);
		put_any(r, 4);
		len = type == 1 ? 4 : type == 28 ? 16 : draw(20);
		put(r, 0);
		put(r, length(len));
		put_any(r, len);
	}
}

static void make_tcp(struct record *r)
{
	static const uint8_t lengths[9] = { 1, 1, 4, 3, 2, 10, 6, 6, 10 };
	unsigned options = draw(6);

	/* SYN ACK, ACK, PSH ACK, FIN ACK, RST */
	put(r, ONE_OF("\x12\x10\x10\x18\x18\x11\4\x14"));
	put(r, draw(4) ? draw(4) : draw(256));
	put(r, 0);
	put(r, draw(256));
	for (; options; options--) {
		/* end, none, MSS, scale, SACK permitted, SACK, timestamps */
		unsigned kind = draw(9), len = lengths[kind];

		put(r, kind);
		if (kind < 2)
			continue;
		if (kind == 5)
			len = 2 + 8 * draw(5);
		put(r, length(len));
		put_any(r, len - 2);
	}
	while (r->n % 4)
		put(r, 1);
	r->b[2] = (uint8_t)((r->n - 4) / 4);
	put_any(r, draw(100));
}

/* Pieces of 8 bytes of a packet of a few. */
static void make_fragment(struct record *r)
{
	put(r, draw(4) ? 0x20 : draw(256));
	put(r, draw(8) ? draw(6) : draw(256));
	put_any(r, draw(8) ? 8 * draw(8) : draw(60));
}

static void make_icmp6(struct record *r)
{
	/* advertisements of routers and neighbours, solicitations, MTU */
	unsigned type = ONE_OF("\x86\x86\x86\x87\x88\x89\2"), units;

	put(r, type);
	put(r, 0);
	put_any(r, type == 0x86 ? 14 : type == 2 ? 6 : 22);
	for (unsigned i = draw(5); i; i--) {
		/* MAC addresses, prefix, MTU, route, RDNSS, search list */
		unsigned option = ONE_OF("\1\2\3\5\x18\x19\x1f");

		units = option == 3 ? 4 : option == 25 ? 1 + 2 * draw(4) : 1;
		put(r, option);
		put(r, length(units));
		if (option == 3) {
			put(r, 64);
			put(r, draw(4) ? 0xc0 : draw(256));
			put_any(r, 28);
		} else {
			put_any(r, 8 * units - 2);
		}
	}
}

/* Headers behind each other, a fragment among them. */
static void make_ip6(struct record *r)
{
	unsigned next = ONE_OF("\0\x2b\x2c\x2c\x2c\x3c"), n = draw(4), pad;

	put(r, next);
	for (; n; n--) {
		unsigned then = n > 1 ? ONE_OF("\0\x2b\x2c\x3c")
				      : ONE_OF("\6\x11\x3a");

		put(r, then);
		if (next == 44) {
			put(r, 0);
			put(r, 0);
			put(r, draw(8) ? 8 * draw(6) + draw(2) : draw(256));
			put_any(r, 3);
			put(r, draw(2));
		} else {
			put(r, length(0));
			pad = draw(2) ? 1 : draw(256);
			put(r, pad);
			put(r, length(4));
			put_any(r, 4);
		}
		next = then;
	}
	put_any(r, 8 * draw(8));
}

static void make_any(struct record *r)
{
	put_any(r, draw(120));
}

static void (*const makers[KINDS + 1])(struct record *r) = {
	[RAW] = make_any,     [ANY_IP4] = make_any, [FRAGMENT] = make_fragment,
	[TCP] = make_tcp,     [DHCP] = make_dhcp,   [DNS] = make_dns,
	[ICMP6] = make_icmp6, [ANY_IP6] = make_ip6, [ARP] = make_any,
	[KINDS] = make_any,
};

/* Puts a new record between two others, or in place of one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned seed)
{
	struct record r = { .n = 0 };
	unsigned kind, steps;
	size_t at = 1, gone = 0, len;

	srand(seed);
	if (!size || !draw(3))
		return LLVMFuzzerMutate(data, size, max);
	kind = draw(KINDS + 1);
	makers[kind](&r);
	for (steps = draw(12); steps && at + 2 <= size; steps--) {
		len = 2 + (size_t)data[at + 1] * (data[at] & 0x80 ? 5u : 1u);
		at += len < size - at ? len : size - at;
	}
	if (!draw(3) && at + 2 <= size) {
		gone = 2 + (size_t)data[at + 1] * (data[at] & 0x80 ? 5u : 1u);
		gone = gone < size - at ? gone : size - at;
	}
	if (size - gone + 2 + r.n > max)
		return LLVMFuzzerMutate(data, size, max);
	memmove(data + at + 2 + r.n, data + at + gone, size - at - gone);
	data[at] = (uint8_t)kind;
	data[at + 1] = (uint8_t)r.n;
	memcpy(data + at + 2, r.b, r.n);
	return size - gone + 2 + r.n;
}

/* ---- an input ---- */

static void print_frames(void)
{
	fprintf(stderr, "fuzz_lwip: %llu frames\n", frames);
}

__attribute__((constructor)) static void begin(void)
{
	atexit(print_frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nbd_ether e = { .mtu = 1500,
			       .send = send_frame,
			       .receive = receive,
			       .wait = pass };
	struct lwnet_config c = { .seed = { 1 } };
	struct nbd_diag d;

	if (size < 2)
		return 0;
	ASAN_UNPOISON_MEMORY_REGION(&net, sizeof(net));
	memset(&f, 0, sizeof(f));
	f.in = data + 1;
	f.left = size - 1;
	memcpy(e.mac, our_mac, 6);
	memcpy(f.ip, our_ip, 4);
	if (data[0] & 1) {
		c.ip4.ip = nbd_ip_of(our_ip, 4);
		c.ip4.ip.prefix = 24;
		c.ip4.dns[0] = nbd_ip_of(peer_ip, 4);
	}
	if (lwnet_open(&net, &e, &c))
		abort();
	lwnet_up(&net, 3000, NULL, &d);
	talk();
	lwnet_close(&net, 100);
	assert_frames();
	return 0;
}
