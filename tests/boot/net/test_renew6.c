/* SPDX-License-Identifier: BSD-2-Clause */
/* The messages about a DHCPv6 server that does not renew a lease. */
#include "boot/net/renew6.h"

#include "port/linux/udp6.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

#define SOCKET 1000

static struct {
	int status; /* of each reply; -1: there is none */
	uint8_t reply[128];
	size_t len;
	uint32_t xid; /* of the latest message, with its type */
} server;
static struct net_renewal r;
static struct nbd_diag d;

int __wrap_iface_refresh(struct iface *iface, struct nbd_diag *diag);
int __wrap_iface_refresh(struct iface *iface, struct nbd_diag *diag)
{
	(void)iface, (void)diag;
	return 0;
}

int __wrap_udp6_open(int index, const unsigned char ip[16], unsigned port,
		     struct nbd_diag *diag);
int __wrap_udp6_open(int index, const unsigned char ip[16], unsigned port,
		     struct nbd_diag *diag)
{
	(void)index, (void)ip, (void)port, (void)diag;
	return SOCKET;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	assert_int_equal(fd, SOCKET);
	return 0;
}

/* An IA_NA with nothing but the status. */
void __wrap_udp6_send(int fd, int index, const unsigned char to[16],
		      unsigned port, const void *p, size_t len);
void __wrap_udp6_send(int fd, int index, const unsigned char to[16],
		      unsigned port, const void *p, size_t len)
{
	const uint8_t *q = p;
	uint8_t *o = server.reply;

	(void)fd, (void)index, (void)to, (void)port;
	memcpy(&server.xid, q, sizeof(server.xid));
	if (server.status < 0)
		return;
	/* the client ID is the first option, and the server's the next */
	assert_true(len > 26);
	memcpy(o, q, 26);
	o[0] = LEASE6_REPLY;
	memcpy(o + 26, "\0\3\0\x12\0\1\2\3\0\0\0\0\0\0\0\0\0\x0d\0\2\0", 21);
	o[47] = (uint8_t)server.status;
	server.len = 48;
}

bool __wrap_udp6_recv(int fd, void *p, size_t cap, size_t *len);
bool __wrap_udp6_recv(int fd, void *p, size_t cap, size_t *len)
{
	(void)fd, (void)cap;
	memcpy(p, server.reply, server.len);
	*len = server.len;
	server.len = 0;
	return *len;
}

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	(void)p, (void)n;
	if (server.len)
		return 1;
	world.now += (unsigned)ms;
	return 0;
}

static void renews(int status, const char *text)
{
	static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };
	struct lease6 *lease6 = &r.j.lease6;

	world = (struct world){ .now = 1900000, .wait = played_wait };
	memset(&r, 0, sizeof(r));
	memcpy(r.j.l.name, "eth0", 5);
	server.status = status;
	boot_lease6_id(&lease6->id, mac);
	lease6->state = LEASE6_BOUND;
	lease6->lease = (struct lease6_values){
		.server = { .len = 4, .p = { 0, 2, 'm', 'e' } },
		.addr = { 16, 128, { 0x20, 1, [15] = 0x77 } },
		.valid = 3600,
		.t1 = 1800,
		.t2 = 2880,
	};
	assert_int_equal(net_renew6_once(&r, 8000, &d), NBD_E_TIMEOUT);
	assert_string_equal(d.text, text);
}

static void an_error_is_no_silence(void **state)
{
	(void)state;
	renews(-1, "eth0: no DHCPv6 server answered");
	renews(LEASE6_UNSPEC,
	       "eth0: the DHCPv6 server does not renew the lease "
	       "now (status 1 of RFC 8415)");
}

/* The seed is that of the time and the MAC. */
ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags);
ssize_t __wrap_getrandom(void *p, size_t len, unsigned flags)
{
	(void)p, (void)len, (void)flags;
	return -1;
}

static uint32_t releases(unsigned len, uint64_t before)
{
	struct net_kept k = { .lease6 = { .state = LEASE6_BOUND,
					  .bound = before } };

	world = (struct world){ .now = 1ull << 41, .wait = played_wait };
	server.status = -1;
	k.lease6.id.duid.len = (uint8_t)len;
	memset(k.lease6.id.duid.p, 7, len);
	net_renew6_release(&k);
	return server.xid;
}

/* One of a file in /run may have few bytes. */
static void of_a_short_duid_nothing_else_is_read(void **state)
{
	(void)state;
	/* the upper bytes of this time are before the array */
	for (unsigned len = 1; len < 8; len++)
		assert_int_equal(releases(len, 0), releases(len, 1ull << 40));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_no_silence),
		cmocka_unit_test(of_a_short_duid_nothing_else_is_read),
	};

	return cmocka_run_group_tests_name("renewal of DHCPv6", tests, NULL,
					   NULL);
}
