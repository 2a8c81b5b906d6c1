/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a lease: the test plays its servers, the clock and the other DHCP
 * client that may come.  Time passes in poll() alone.
 */
#include "boot/words/cmdline.h"
#include "boot/net/renew.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "boot/net/handoff.h"
#include "boot/net/kept.h"
#include "port/linux/packet.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/say.h"
#include "tests/world/harden.h"
#include "tests/world/ready.h"
#include "tests/world/run.h"

#define SOCKET	77
#define RESUMED 78

static struct play {
	/* ms: from when a server answers with what; the last one that began */
	struct answer {
		uint64_t from;
		unsigned type, server, last;
	} answer[4];
	uint64_t in_use;   /* ms: when another client has the port, or 0 */
	uint32_t seconds;  /* of a lease */
	uint64_t now, end; /* it begins and ends */
	unsigned sent, unicast, kept, named; /* named: with the name "me" */
	unsigned char reply[300];
	bool open, waiting;
	char name[16]; /* of the interface, by now */
	const char *cmdline;
	struct net_state state; /* the last one that was kept */
	/* ms: when the machine is suspended, for how long, and for how long yet */
	uint64_t nap, nap_ms, slept;
	bool reports;  /* the kernel says so */
	uint32_t life; /* s: that an address was given, or 0 */
	bool managed;  /* another client has given it one */
} play;

static struct net_renewal r;
static struct nbd_diag d;

/* ---- the machine ---- */

int __wrap_boot_cmdline_read(struct cmdline *c, struct nbd_diag *diag);
int __wrap_boot_cmdline_read(struct cmdline *c, struct nbd_diag *diag)
{
	return play.cmdline ? boot_cmdline_parse(c, play.cmdline, diag)
			    : NBD_E_NOT_FOUND;
}

int __wrap_net_kept_read(int run, struct net_kept *k, struct nbd_diag *diag);
int __wrap_net_kept_read(int run, struct net_kept *k, struct nbd_diag *diag)
{
	assert_int_equal(run, 3);
	if (!play.seconds)
		return nbd_diag(diag, NBD_E_NOT_FOUND, "no lease");
	*k = (struct net_kept){
		.name = "eth0",
		.dhcp = { .state = DHCP_BOUND,
			  .lease = { .addr = { 4, 24, { 192, 0, 2, 5 } },
				     .server = { 4, 32, { 192, 0, 2, 1 } },
				     .seconds = play.seconds,
				     .t1 = play.seconds / 2,
				     .t2 = play.seconds - play.seconds / 8 } }
	};
	return 0;
}

int __wrap_net_handoff_lease(int run, const struct net_state *s,
			     const struct dhcp *dhcp, bool root,
			     struct nbd_diag *diag);
int __wrap_net_handoff_lease(int run, const struct net_state *s,
			     const struct dhcp *dhcp, bool root,
			     struct nbd_diag *diag)
{
	(void)diag;
	assert_true(run == 3 && root && dhcp->state == DHCP_BOUND);
	assert_string_equal(s->name, play.name);
	assert_int_equal(s->addr.len, 4);
	assert_memory_equal(s->addr.ip, dhcp->lease.addr.ip, 4);
	/* the root hangs on it */
	assert_int_equal(s->addr.ip[3], 5);
	play.kept++;
	play.state = *s;
	return 0;
}

int __wrap_iface_find(const char *name, struct iface *l, struct nbd_diag *diag);
int __wrap_iface_find(const char *name, struct iface *l, struct nbd_diag *diag)
{
	struct iface found = { .index = 2,
			       .ether = true,
			       .mac = { 2, 0, 0, 0, 0, 1 } };

	(void)diag;
	/* name may be in *l */
	strcpy(found.name, name);
	*l = found;
	return 2;
}

int __wrap_iface_refresh(struct iface *l, struct nbd_diag *diag);
int __wrap_iface_refresh(struct iface *l, struct nbd_diag *diag)
{
	(void)diag;
	assert_int_equal(l->index, 2);
	strcpy(l->name, play.name);
	return 0;
}

int __wrap_packet_udp(const char *interface, unsigned port, bool alone,
		      struct nbd_diag *diag);
int __wrap_packet_udp(const char *interface, unsigned port, bool alone,
		      struct nbd_diag *diag)
{
	assert_string_equal(interface, play.name);
	assert_int_equal(port, DHCP_CLIENT);
	if (alone && play.in_use && world.now >= play.in_use)
		return nbd_diag(diag, NBD_E_IN_USE, "address in use");
	assert_false(play.open);
	play.open = true;
	return SOCKET;
}

int __wrap_close(int fd);
int __wrap_close(int fd)
{
	assert_true(fd == SOCKET || fd == 3);
	play.open &= fd != SOCKET;
	return 0;
}

int __wrap_iface_refresh_addr(struct iface_addr *a, struct nbd_diag *diag);
int __wrap_iface_refresh_addr(struct iface_addr *a, struct nbd_diag *diag)
{
	(void)diag;
	assert_int_equal(a->a.len, 4);
	a->index = 2;
	a->a.prefix = 23;
	a->lasting = !play.managed;
	return 0;
}

int __wrap_iface_add_addr(int index, const struct nbd_ip *a, uint32_t seconds,
			  struct nbd_diag *diag);
int __wrap_iface_add_addr(int index, const struct nbd_ip *a, uint32_t seconds,
			  struct nbd_diag *diag)
{
	(void)diag;
	assert_int_equal(index, 2);
	assert_int_equal(a->ip[3], 5);
	assert_int_equal(a->prefix, 23);
	play.life = seconds;
	return 0;
}

/* ---- the network ---- */

ssize_t __wrap_sendto(int fd, const void *p, size_t len, int flags,
		      const struct sockaddr *to, socklen_t to_len);
ssize_t __wrap_sendto(int fd, const void *p, size_t len, int flags,
		      const struct sockaddr *to, socklen_t to_len)
{
	const struct sockaddr_in *in = (const void *)to;
	const unsigned char *q = p;
	const struct answer *a = NULL;
	unsigned char options[] = { 53, 1,  0, 54, 4, 192, 0, 2,
				    0,	51, 4, 0,  0, 0,   0, 255 };

	(void)flags, (void)to_len;
	assert_int_equal(fd, SOCKET);
	/* our address is ciaddr, or that of option 50 in what is asked anew */
	assert_true(
		!memcmp(q + 12, "\xc0\0\2\5", 4) ||
		!memcmp(memchr(q + 243, 50, len - 243), "\x32\4\xc0\0\2\5", 6));
	play.sent++;
	play.named += memmem(q + 240, len - 240, "\x0c\2me", 4) != NULL;
	play.unicast += in->sin_addr.s_addr != INADDR_BROADCAST;
	for (unsigned i = 0; i < 4; i++)
		if (play.answer[i].type && world.now >= play.answer[i].from)
			a = &play.answer[i];
	if (!a)
		return (ssize_t)len;
	options[2] =
		(unsigned char)(q[242] == DHCP_DISCOVER ? DHCP_OFFER : a->type);
	options[8] = (unsigned char)a->server;
	options[14] = (unsigned char)play.seconds;
	options[13] = (unsigned char)(play.seconds >> 8);
	memset(play.reply, 0, sizeof(play.reply));
	memcpy(play.reply, "\2\1\6", 3);
	memcpy(play.reply + 4, q + 4, 4);
	memcpy(play.reply + 16, "\xc0\0\2", 3);
	play.reply[19] = (unsigned char)a->last;
	memcpy(play.reply + 28, q + 28, 6);
	memcpy(play.reply + 236, "\x63\x82\x53\x63", 4);
	memcpy(play.reply + 240, options, sizeof(options));
	play.waiting = true;
	return (ssize_t)len;
}

ssize_t __wrap_recv(int fd, void *p, size_t cap, int flags);
ssize_t __wrap_recv(int fd, void *p, size_t cap, int flags)
{
	(void)flags;
	assert_true(fd == SOCKET && play.waiting && cap >= sizeof(play.reply));
	memcpy(p, play.reply, sizeof(play.reply));
	play.waiting = false;
	return sizeof(play.reply);
}

int __wrap_suspend_open(void);
int __wrap_suspend_open(void)
{
	return play.reports ? RESUMED : -1;
}

uint64_t __wrap_suspend_ms(void);
uint64_t __wrap_suspend_ms(void)
{
	return play.slept;
}

static int played_wait(struct pollfd p[], nfds_t n, int ms)
{
	uint64_t end = world.now + (unsigned)ms;

	assert_true(ms > 0);
	if (n && p->fd == SOCKET && play.waiting)
		return 1;
	if (play.nap && !play.slept && play.nap < end) {
		play.slept = play.nap_ms;
		/* a time-out stands still meanwhile */
		end = play.reports ? play.nap : end;
		end += play.nap_ms;
	}
	world.now = end;
	/* the play ends when another client takes over */
	if (world.now >= play.end)
		play.in_use = play.end;
	return 0;
}

static int stay(struct play p)
{
	play = p;
	world = (struct world){ .now = p.now,
				.wait = played_wait,
				.run_fd = 3 };
	if (!play.name[0])
		strcpy(play.name, "eth0");
	return net_renewd_run(&r, &d);
}

/* ---- the tests ---- */

static void a_lease_is_renewed_at_half_of_its_time(void **state)
{
	struct play p = { .seconds = 3600,
			  .end = 10 * 3600 * 1000,
			  .answer = { { 0, DHCP_ACK, 1, 5 } },
			  .name = "renamed" };

	(void)state;
	assert_int_equal(stay(p), 0);
	assert_in_range(play.kept, 19, 20);
	assert_int_equal(play.sent, play.kept);
	assert_int_equal(play.unicast, play.sent);
	assert_string_equal(world.said,
			    "renew: another DHCP client has the "
			    "interface, and the lease from now on\n");
	assert_false(play.open);
}

static void another_address_is_not_taken_for_ours(void **state)
{
	struct play p = { .seconds = 3600,
			  .end = 3 * 3600 * 1000,
			  .answer = { { 0, DHCP_ACK, 1, 6 },
				      { 3000000, DHCP_ACK, 1, 5 } } };

	(void)state;
	assert_int_equal(stay(p), 0);
	assert_non_null(strstr(world.said,
			       "the DHCP server answered with another "
			       "address, which is not used"));
	assert_true(play.kept > 2);
}

static void a_lease_that_ran_out_is_asked_for_of_all(void **state)
{
	(void)state;
	for (uint32_t seconds = 1; seconds < 200; seconds++) {
		uint64_t back = seconds * 1000 + 500000;
		struct play p = { .seconds = seconds,
				  .end = back + 1000000,
				  .answer = { { back, DHCP_ACK, 2, 5 } } };

		assert_int_equal(stay(p), 0);
		assert_true(play.kept > 2);
		assert_non_null(
			strstr(world.said, "eth0: no DHCP server answered"));
	}
}

static void a_refusal_ends_it(void **state)
{
	struct play p = { .seconds = 3600,
			  .end = UINT64_MAX,
			  .answer = { { 0, DHCP_NAK, 1, 5 } } };

	(void)state;
	assert_int_equal(stay(p), NBD_E_NO_DEVICE);
	assert_int_equal(play.kept, 0);
	assert_non_null(strstr(d.text, "refuses to renew the lease"));
	/* also after T2 */
	p.answer[0].from = 3200000;
	assert_int_equal(stay(p), NBD_E_NO_DEVICE);
	assert_true(play.sent > play.unicast);
}

/* Long before T1, or when the lease has ended. */
static void a_machine_that_was_suspended_renews_at_once(void **state)
{
	struct play p = { .seconds = 3600,
			  .nap = 60000,
			  .answer = { { 0, DHCP_ACK, 1, 5 } } };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		p.nap_ms = i & 1 ? 100000 : 7200000;
		p.reports = i & 2;
		p.end = p.nap + p.nap_ms + 35000;
		assert_int_equal(stay(p), 0);
		assert_int_equal(play.kept, 1);
		/* one message; two if it is asked for again */
		assert_int_equal(play.sent, i & 1 ? 1 : 2);
		if (p.reports)
			assert_int_equal(r.j.dhcp.bound, p.nap + p.nap_ms);
		else
			assert_in_range(r.j.dhcp.bound, p.nap + p.nap_ms,
					p.nap + p.nap_ms + 30000);
	}
}

static void without_a_lease_there_is_nothing_to_do(void **state)
{
	(void)state;
	assert_int_equal(stay((struct play){ .seconds = 0 }), NBD_E_NOT_FOUND);
}

static void one_request_beside_another_client(void **state)
{
	(void)state;
	play = (struct play){ .seconds = 3600,
			      .in_use = 1,
			      .now = 2000000,
			      .name = "eth0",
			      .answer = { { 0, DHCP_ACK, 1, 5 } } };
	world.now = play.now;
	assert_int_equal(net_renew_read(&r, &d), 0);
	assert_int_equal(net_renew_once(&r, 32000, true, &d), NBD_E_IN_USE);
	assert_int_equal(net_renew_once(&r, 32000, false, &d), 0);
	assert_int_equal(r.j.dhcp.bound, 2000000);
	assert_int_equal(net_renew_keep(&r, &d), 0);
}

static void the_words_of_the_command_line_still_count(void **state)
{
	(void)state;
	play = (struct play){ .seconds = 3600,
			      .now = 2000000,
			      .name = "eth0",
			      .cmdline = "ip=::::me:eth0:dhcp:192.0.2.54 "
					 "nameserver=192.0.2.53",
			      .answer = { { 0, DHCP_ACK, 1, 5 } } };
	world.now = play.now;
	assert_int_equal(net_renew_read(&r, &d), 0);
	/* that which was read is on record */
	assert_int_equal(net_renew_keep(&r, &d), 0);
	assert_int_equal(play.kept, 0);
	r.j.dhcp.bound = 1;
	/* that of the server, unless rd.peerdns=0 is there */
	r.j.dhcp.lease.n_dns = 1;
	r.j.dhcp.lease.dns[0] = nbd_ip_of("\xc0\0\x02\x01", 4);
	assert_int_equal(net_renew_keep(&r, &d), 0);
	assert_int_equal(play.state.n_dns, 3);
	assert_int_equal(play.state.dns[0].ip[3], 53);
	assert_int_equal(play.state.dns[1].ip[3], 54);
	assert_int_equal(play.state.dns[2].ip[3], 1);
	assert_string_equal(play.state.host, "me");
	r.plan.no_peer_dns = true;
	r.j.dhcp.bound = 2;
	assert_int_equal(net_renew_keep(&r, &d), 0);
	assert_int_equal(play.state.n_dns, 2);
	/* the interface may be named by its MAC */
	play.cmdline = "ip=::::me::dhcp:192.0.2.54 "
		       "BOOTIF=01-02-00-00-00-00-01";
	assert_int_equal(net_renew_read(&r, &d), 0);
	r.j.dhcp.bound = 4;
	assert_int_equal(net_renew_keep(&r, &d), 0);
	assert_int_equal(play.state.n_dns, 1);
	assert_string_equal(play.state.host, "me");
	/* those of another interface do not */
	play.cmdline = "ip=eth1:dhcp ip=::::you:eth2:dhcp:192.0.2.54";
	assert_int_equal(net_renew_read(&r, &d), 0);
	r.j.dhcp.bound = 3;
	assert_int_equal(net_renew_keep(&r, &d), 0);
	assert_int_equal(play.state.n_dns, 0);
	assert_string_equal(play.state.host, "");
}

/* A server that does not send it back may take it out of DNS without it. */
static void a_renewal_has_the_name_that_the_boot_sent(void **state)
{
	struct play p = { .seconds = 3600,
			  .end = 10 * 3600 * 1000,
			  .cmdline = "ip=::::me:eth0:dhcp",
			  .answer = { { 0, DHCP_ACK, 1, 5 } } };

	(void)state;
	assert_int_equal(stay(p), 0);
	assert_true(play.sent > 2);
	assert_int_equal(play.named, play.sent);
}

/* The lifetime of the address, `now` ms after its lease began. */
static uint32_t life_of(struct play p)
{
	play = p;
	world = (struct world){ .now = p.now,
				.wait = played_wait,
				.run_fd = 3 };
	net_renew_expire();
	return play.life;
}

static void an_address_that_nobody_renews_ends_with_its_lease(void **state)
{
	struct play p = { .seconds = 36000, .now = 600500 };

	(void)state;
	assert_int_equal(life_of(p), 35399);
	/* the old root is still unmounted over it */
	p.now = 35990000;
	assert_int_equal(life_of(p), 3600);
	/* one that ran out while no server answered */
	p.now = 40000000;
	assert_int_equal(life_of(p), 3600);
	p.managed = true;
	assert_int_equal(life_of(p), 0);
	/* as good as for ever, but the way back asks DHCP */
	p = (struct play){ .seconds = UINT32_MAX };
	assert_int_equal(life_of(p), UINT32_MAX);
	assert_int_equal(life_of((struct play){ 0 }), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_is_renewed_at_half_of_its_time),
		cmocka_unit_test(another_address_is_not_taken_for_ours),
		cmocka_unit_test(a_lease_that_ran_out_is_asked_for_of_all),
		cmocka_unit_test(a_refusal_ends_it),
		cmocka_unit_test(a_machine_that_was_suspended_renews_at_once),
		cmocka_unit_test(without_a_lease_there_is_nothing_to_do),
		cmocka_unit_test(one_request_beside_another_client),
		cmocka_unit_test(the_words_of_the_command_line_still_count),
		cmocka_unit_test(a_renewal_has_the_name_that_the_boot_sent),
		cmocka_unit_test(
			an_address_that_nobody_renews_ends_with_its_lease),
	};

	return cmocka_run_group_tests_name("renewal", tests, NULL, NULL);
}
