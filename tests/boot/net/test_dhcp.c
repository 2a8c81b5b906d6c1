/* SPDX-License-Identifier: BSD-2-Clause */
/* A DHCP client, with a server and a clock that the test plays. */
#include "boot/net/dhcp.h"

#include "tests/unit.h"

static const uint8_t mac[6] = { 0x52, 0x54, 0, 1, 2, 3 };
static struct dhcp d;
static uint8_t sent[DHCP_MAX];

static const uint8_t *option(unsigned code)
{
	for (const uint8_t *p = sent + 240; *p != 255; p += 2 + p[1])
		if (*p == code)
			return p + 2;
	return NULL;
}

/* The type of what the client sends now; 0: nothing. */
static int sends(uint64_t now)
{
	return net_dhcp_send(&d, sent, now) ? *option(53) : 0;
}

/* What the server gives: for 3600 s, unless a test changes it. */
static uint8_t seconds[4];
static const uint8_t hour[4] = { 0, 0, 0x0e, 0x10 };

/*
 * Server 192.0.2.SERVER, or one that does not say who it is (0), gives
 * 192.0.2.LAST, above 127 with a root-path.
 */
static bool answer(unsigned type, unsigned server, unsigned last, uint64_t now)
{
	uint8_t p[300] = { 2, 1, 6 };
	uint8_t path = last > 127 ? 17 : 0;
	const uint8_t options[] = { 53,
				    1,
				    (uint8_t)type,
				    server ? 54 : 200,
				    4,
				    192,
				    0,
				    2,
				    (uint8_t)server,
				    51,
				    4,
				    seconds[0],
				    seconds[1],
				    seconds[2],
				    seconds[3],
				    path,
				    path ? 1 : 0,
				    path ? 'x' : 255,
				    255 };

	memcpy(p + 4, sent + 4, 4);
	/* none: it serves PXE alone */
	if (last)
		memcpy(p + 16, "\xc0\x00\x02", 3);
	p[19] = (uint8_t)last;
	memcpy(p + 28, mac, 6);
	memcpy(p + 236, "\x63\x82\x53\x63", 4);
	memcpy(p + 240, options, sizeof(options));
	return net_dhcp_take(&d, p, sizeof(p), now);
}

static int start(void **state)
{
	(void)state;
	memcpy(seconds, hour, sizeof(seconds));
	net_dhcp_start(&d, mac, "me", 12345, 5000);
	return 0;
}

static void bind_at(uint64_t now)
{
	assert_int_equal(sends(now), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 1, 5, now));
	assert_int_equal(sends(now), DHCP_REQUEST);
	assert_true(answer(DHCP_ACK, 1, 5, now + 3));
	assert_int_equal(d.state, DHCP_BOUND);
}

static void four_messages_make_a_lease_without_a_pause(void **state)
{
	(void)state;
	assert_int_equal(d.due, 5000);
	assert_int_equal(sends(5000), DHCP_DISCOVER);
	assert_memory_equal(option(12), "me", 2);
	assert_memory_equal(option(57), "\x02\x40", 2);
	assert_true(answer(DHCP_OFFER, 1, 5, 5001));
	/* at once, not when the pause is over */
	assert_int_equal(d.due, 5001);
	/* not every switch and relay passes jumbo frames */
	d.mtu = 9000;
	assert_int_equal(sends(5001), DHCP_REQUEST);
	assert_memory_equal(option(57), "\x05\xdc", 2);
	assert_memory_equal(option(50), "\xc0\x00\x02\x05", 4);
	assert_memory_equal(option(54), "\xc0\x00\x02\x01", 4);
	assert_true(answer(DHCP_ACK, 1, 5, 5002));
	assert_int_equal(d.state, DHCP_BOUND);
	assert_int_equal(d.bound, 5001);
	assert_int_equal(d.lease.addr.ip[3], 5);
	assert_int_equal(d.lease.t1, 1800);
	assert_int_equal(sends(9999), 0);
}

static void silence_makes_the_pauses_grow_to_64_s(void **state)
{
	uint64_t now = 5000, base = 1000;

	(void)state;
	for (int i = 0; i < 12; i++) {
		assert_int_equal(sends(now), DHCP_DISCOVER);
		assert_in_range(d.due - now, base - base / 8, base + base / 8);
		/* relays take BOOTP's field of seconds for the urgency */
		assert_int_equal(sent[8] << 8 | sent[9], (now - 5000) / 1000);
		now = d.due;
		if (base < 64000)
			base *= 2;
	}
}

/* RFC 2131, 4.1: what comes to our address may be lost before we have it. */
static void after_silence_broadcasts_are_asked_for(void **state)
{
	uint64_t now = 5000;

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(sends(now), DHCP_DISCOVER);
		assert_int_equal(sent[10], i < 2 ? 0 : 0x80);
		now = d.due;
	}
	/* also of the request, at once */
	assert_true(answer(DHCP_OFFER, 1, 5, now));
	assert_int_equal(sends(now), DHCP_REQUEST);
	assert_int_equal(sent[10], 0x80);
	/* later we have it */
	assert_true(answer(DHCP_ACK, 1, 5, now));
	net_dhcp_renewal(&d, mac, 1, now);
	assert_int_equal(sends(now), DHCP_REQUEST);
	assert_int_equal(sent[10], 0);
}

/* It tells where a boot loader is; who gives addresses may answer later. */
static void a_server_for_pxe_alone_offers_nothing(void **state)
{
	(void)state;
	assert_int_equal(sends(5000), DHCP_DISCOVER);
	assert_false(d.proxy);
	assert_false(answer(DHCP_OFFER, 9, 0, 5001));
	assert_int_equal(d.state, DHCP_SELECTING);
	assert_true(d.proxy);
	assert_true(answer(DHCP_OFFER, 1, 5, 5002));
}

static void a_link_that_works_late_is_asked_by_at_once(void **state)
{
	(void)state;
	sends(5000);
	sends(d.due);
	net_dhcp_again(&d, 6500);
	assert_int_equal(d.due, 6500);
	assert_int_equal(sends(6500), DHCP_DISCOVER);
	assert_in_range(d.due - 6500, 875, 1125);
	assert_true(answer(DHCP_OFFER, 1, 5, 6501));
	/* the answer to the message before: it is not taken for another */
	assert_false(answer(DHCP_OFFER, 1, 6, 6502));
	sends(6502);
	net_dhcp_again(&d, 6503);
	assert_int_equal(sends(6503), DHCP_REQUEST);
	assert_memory_equal(option(50), "\xc0\x00\x02\x05", 4);
	assert_true(answer(DHCP_ACK, 1, 5, 6504));
}

static void a_link_that_works_again_does_not_ask_for_what_is_had(void **state)
{
	(void)state;
	bind_at(5000);
	net_dhcp_again(&d, 6000);
	assert_int_equal(d.state, DHCP_BOUND);
	assert_int_equal(sends(6000), 0);
	net_dhcp_renewal(&d, mac, 7, 1805000);
	sends(1805000);
	net_dhcp_again(&d, 1805001);
	assert_true(d.due > 1805001);
}

static void two_machines_do_not_keep_time(void **state)
{
	uint64_t first;

	(void)state;
	sends(5000);
	first = d.due;
	net_dhcp_start(&d, mac, "", 54321, 5000);
	sends(5000);
	assert_int_not_equal(d.due, first);
}

static void the_first_offer_wins_and_others_are_not_heard(void **state)
{
	(void)state;
	sends(5000);
	assert_true(answer(DHCP_OFFER, 1, 5, 5001));
	assert_false(answer(DHCP_OFFER, 2, 9, 5001));
	sends(5001);
	assert_false(answer(DHCP_ACK, 2, 9, 5002));
	assert_false(answer(DHCP_NAK, 2, 9, 5002));
	assert_true(answer(DHCP_ACK, 1, 5, 5002));
	assert_int_equal(d.lease.server.ip[3], 1);
	/* and when all is done, nobody can undo it */
	assert_false(answer(DHCP_NAK, 1, 5, 5003));
	assert_false(answer(DHCP_ACK, 1, 6, 5003));
	assert_int_equal(d.lease.addr.ip[3], 5);
}

/* A failover pair, or a relay that puts in its own address. */
static void an_ack_of_the_address_counts_from_any_server(void **state)
{
	(void)state;
	sends(5000);
	assert_false(answer(DHCP_OFFER, 0, 5, 5001));
	assert_true(answer(DHCP_OFFER, 1, 5, 5001));
	sends(5001);
	assert_false(answer(DHCP_NAK, 2, 5, 5002));
	assert_false(answer(DHCP_NAK, 0, 5, 5002));
	assert_false(answer(DHCP_ACK, 2, 6, 5002));
	assert_false(answer(DHCP_ACK, 0, 6, 5002));
	assert_true(answer(DHCP_ACK, 2, 5, 5002));
	assert_int_equal(d.lease.server.ip[3], 2);
	/* and one that does not say who it is, is the one that was asked */
	net_dhcp_renewal(&d, mac, 7, 1805000);
	assert_int_equal(sends(1805000), DHCP_REQUEST);
	assert_false(answer(DHCP_NAK, 1, 5, 1805001));
	assert_true(answer(DHCP_ACK, 0, 5, 1805001));
	assert_memory_equal(d.lease.server.ip, "\xc0\x00\x02\x02", 4);
	assert_memory_equal(d.lease.next.ip, "\xc0\x00\x02\x02", 4);
	assert_int_equal(d.bound, 1805000);
}

static void a_needed_root_path_is_waited_for(void **state)
{
	(void)state;
	d.need_path = true;
	sends(5000);
	assert_true(answer(DHCP_OFFER, 1, 5, 5001));
	assert_int_equal(sends(d.due), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 2, 200, 7000));
	assert_int_equal(sends(7000), DHCP_REQUEST);
	assert_memory_equal(option(54), "\xc0\x00\x02\x02", 4);
	assert_false(answer(DHCP_OFFER, 1, 5, 7001));
	assert_true(answer(DHCP_ACK, 2, 200, 7002));
	assert_int_equal(d.state, DHCP_BOUND);
	assert_int_equal(d.lease.addr.ip[3], 200);
}

static void and_takes_the_first_one_without_when_there_is_none(void **state)
{
	(void)state;
	d.need_path = true;
	sends(5000);
	assert_true(answer(DHCP_OFFER, 1, 5, 5001));
	assert_false(answer(DHCP_OFFER, 2, 6, 5002));
	assert_int_equal(sends(d.due), DHCP_DISCOVER);
	assert_int_equal(sends(d.due), DHCP_REQUEST);
	assert_in_range(d.sent, 7625, 8375);
	assert_memory_equal(option(50), "\xc0\x00\x02\x05", 4);
	/* which is refused: no offer is left from before */
	assert_true(answer(DHCP_NAK, 1, 5, 8400));
	for (int i = 0; i < 3; i++)
		assert_int_equal(sends(d.due), DHCP_DISCOVER);
}

static void and_one_that_comes_late_does_not_wait_for_ever(void **state)
{
	(void)state;
	d.need_path = true;
	for (int i = 0; i < 9; i++)
		assert_int_equal(sends(d.due), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 1, 5, d.sent + 1));
	/* nor for the rest of the pause, which is a minute by now */
	assert_int_equal(d.due, d.sent + 1 + 2000);
	assert_int_equal(sends(d.due), DHCP_REQUEST);
}

static void an_ack_before_an_offer_is_not_heard(void **state)
{
	(void)state;
	sends(5000);
	assert_false(answer(DHCP_ACK, 1, 5, 5001));
	assert_false(answer(DHCP_NAK, 1, 5, 5001));
}

static void an_offer_that_nobody_confirms_is_given_up(void **state)
{
	uint64_t now = 5000;

	(void)state;
	sends(now);
	answer(DHCP_OFFER, 1, 5, now);
	for (int i = 0; i < 4; i++, now = d.due)
		assert_int_equal(sends(now), DHCP_REQUEST);
	assert_int_equal(sends(now), DHCP_DISCOVER);
	assert_null(option(50));
	/* another one is better from now on */
	assert_true(answer(DHCP_OFFER, 1, 5, now));
	assert_int_equal(d.state, DHCP_CHOOSING);
	assert_true(answer(DHCP_OFFER, 2, 6, now));
	assert_int_equal(sends(d.due), DHCP_REQUEST);
	assert_memory_equal(option(54), "\xc0\x00\x02\x02", 4);
}

/* An offer, and the refusal of it 1 ms after the request: when to go on. */
static uint64_t is_refused(uint64_t now)
{
	assert_int_equal(sends(now), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 1, 5, now));
	assert_int_equal(sends(now), DHCP_REQUEST);
	assert_true(answer(DHCP_NAK, 1, 5, now + 1));
	return d.due - (now + 1);
}

static void after_a_nak_it_begins_again_at_once(void **state)
{
	(void)state;
	assert_int_equal(is_refused(5000), 0);
	assert_int_equal(sends(d.due), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 2, 7, 7000));
	assert_int_equal(sends(7000), DHCP_REQUEST);
	assert_true(answer(DHCP_ACK, 2, 7, 7001));
	assert_int_equal(d.lease.addr.ip[3], 7);
}

/* In a fleet that is switched on together addresses are taken again and again. */
static void offers_after_three_naks_are_taken_at_once(void **state)
{
	(void)state;
	is_refused(5000);
	is_refused(d.due);
	is_refused(d.due);
	assert_int_equal(sends(d.due), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 1, 8, d.sent));
	assert_int_equal(d.state, DHCP_REQUESTING);
}

/* dnsmasq sends a NAK for a request that names another server, maybe late. */
static void a_late_nak_is_not_for_the_next_request(void **state)
{
	uint8_t earlier[4], xid[4];

	(void)state;
	is_refused(5000);
	memcpy(earlier, sent + 4, 4);
	assert_int_equal(sends(d.due), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 2, 7, d.sent));
	assert_int_equal(sends(d.due), DHCP_REQUEST);
	memcpy(xid, sent + 4, 4);
	memcpy(sent + 4, earlier, 4);
	assert_false(answer(DHCP_NAK, 2, 7, d.sent));
	memcpy(sent + 4, xid, 4);
	assert_true(answer(DHCP_ACK, 2, 7, d.sent + 1));
	assert_int_equal(d.state, DHCP_BOUND);
}

static void a_server_that_always_refuses_is_asked_ever_more_rarely(void **state)
{
	uint64_t base = 250;

	(void)state;
	is_refused(5000);
	for (int i = 0; i < 3; i++, base *= 2)
		assert_in_range(is_refused(d.due), base - base / 8 - 1,
				base + base / 8);
	/* from now on others are waited for: two messages */
	for (int i = 0; i < 9; i++, base = base < 16000 ? base * 2 : base) {
		assert_int_equal(sends(d.due), DHCP_DISCOVER);
		assert_true(answer(DHCP_OFFER, 1, 5, d.sent));
		assert_int_equal(d.state, DHCP_CHOOSING);
		assert_int_equal(sends(d.due), DHCP_DISCOVER);
		assert_int_equal(sends(d.due), DHCP_REQUEST);
		assert_true(answer(DHCP_NAK, 1, 5, d.sent + 1));
		assert_in_range(d.due - d.sent, base - base / 8 - 1,
				base + base / 8 + 1);
	}
}

/* It may be the fastest each time. */
static void of_two_servers_the_one_that_refuses_is_left(void **state)
{
	(void)state;
	is_refused(5000);
	for (int i = 0; i < 3; i++)
		is_refused(d.due);
	assert_int_equal(sends(d.due), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 1, 5, d.sent));
	assert_false(answer(DHCP_OFFER, 1, 6, d.sent));
	assert_true(answer(DHCP_OFFER, 2, 7, d.sent));
	assert_int_equal(sends(d.due), DHCP_REQUEST);
	assert_memory_equal(option(54), "\xc0\x00\x02\x02", 4);
	assert_true(answer(DHCP_ACK, 2, 7, d.sent));
	assert_int_equal(d.lease.addr.ip[3], 7);
}

static void also_where_no_offer_has_the_root_path(void **state)
{
	(void)state;
	/* its root-path is of no use */
	for (int i = 0; i < 4; i++) {
		sends(d.due);
		assert_true(answer(DHCP_OFFER, 1, 200, d.sent));
		sends(d.due);
		assert_true(answer(DHCP_NAK, 1, 200, d.sent));
	}
	d.need_path = true;
	assert_int_equal(sends(d.due), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 1, 200, d.sent));
	assert_true(answer(DHCP_OFFER, 2, 7, d.sent));
	assert_int_equal(d.state, DHCP_CHOOSING);
	assert_false(answer(DHCP_OFFER, 1, 200, d.sent));
	assert_int_equal(d.lease.addr.ip[3], 7);
	assert_true(answer(DHCP_OFFER, 3, 201, d.sent));
	assert_int_equal(sends(d.due), DHCP_REQUEST);
	assert_int_equal(d.lease.addr.ip[3], 201);
}

static void a_lease_is_renewed_by_its_server(void **state)
{
	(void)state;
	bind_at(5000);
	net_dhcp_renewal(&d, mac, 7, 1805000);
	assert_int_equal(d.state, DHCP_RENEWING);
	assert_int_equal(sends(1805000), DHCP_REQUEST);
	assert_memory_equal(sent + 12, "\xc0\x00\x02\x05", 4);
	/* RFC 2131, 4.3.2: neither of the two when renewing */
	assert_null(option(50));
	assert_null(option(54));
	assert_false(answer(DHCP_NAK, 2, 5, 1805001));
	assert_true(answer(DHCP_ACK, 1, 5, 1805001));
	assert_int_equal(d.state, DHCP_BOUND);
	assert_int_equal(d.bound, 1805000);
}

static void then_by_any(void **state)
{
	(void)state;
	bind_at(5000);
	net_dhcp_renewal(&d, mac, 7, 3100000);
	assert_int_equal(sends(3100000), DHCP_REQUEST);
	assert_int_equal(d.state, DHCP_RENEWING);
	/* T2 is 3150 s */
	assert_int_equal(sends(3156000), DHCP_REQUEST);
	assert_int_equal(d.state, DHCP_REBINDING);
	assert_true(answer(DHCP_ACK, 2, 5, 3156001));
	assert_int_equal(d.lease.server.ip[3], 2);
	assert_int_equal(d.bound, 3156000);
}

/* Servers have forgotten it then: it is asked for anew, and no other one. */
static void a_lease_that_has_ended_is_asked_for_again(void **state)
{
	uint64_t ended = 5000 + 3600000 + 120000;

	(void)state;
	bind_at(5000);
	net_dhcp_renewal(&d, mac, 7, ended - 1);
	assert_int_equal(sends(ended - 1), DHCP_REQUEST);
	assert_int_equal(d.state, DHCP_REBINDING);
	net_dhcp_renewal(&d, mac, 7, ended);
	assert_int_equal(sends(ended), DHCP_DISCOVER);
	assert_memory_equal(sent + 12, "\0\0\0\0", 4);
	assert_memory_equal(option(50), "\xc0\x00\x02\x05", 4);
	assert_null(option(54));
	/* an offer of another one would be lost otherwise */
	assert_int_equal(sent[10], 0x80);
	assert_false(answer(DHCP_OFFER, 1, 6, ended + 1));
	assert_true(d.other);
	assert_true(answer(DHCP_OFFER, 2, 5, ended + 2));
	assert_int_equal(sends(ended + 2), DHCP_REQUEST);
	assert_memory_equal(option(50), "\xc0\x00\x02\x05", 4);
	assert_memory_equal(option(54), "\xc0\x00\x02\x02", 4);
	/* a refusal is of this request */
	assert_true(answer(DHCP_NAK, 2, 5, ended + 3));
	assert_int_equal(sends(ended + 3), DHCP_DISCOVER);
	assert_true(answer(DHCP_OFFER, 2, 5, ended + 4));
	assert_int_equal(sends(ended + 4), DHCP_REQUEST);
	assert_false(answer(DHCP_ACK, 2, 6, ended + 5));
	assert_true(answer(DHCP_ACK, 2, 5, ended + 5));
	assert_int_equal(d.state, DHCP_BOUND);
	assert_int_equal(d.bound, ended + 4);
	assert_int_equal(d.lease.addr.ip[3], 5);
}

/* An offer alone makes the lease that has ended no younger. */
static void after_an_offer_without_a_lease_all_are_asked_again(void **state)
{
	(void)state;
	bind_at(5000);
	net_dhcp_renewal(&d, mac, 7, 4000000);
	assert_int_equal(sends(4000000), DHCP_DISCOVER);
	memcpy(seconds, (uint8_t[4]){ 0, 1, 0, 0 }, sizeof(seconds));
	assert_true(answer(DHCP_OFFER, 2, 5, 4000000));
	assert_int_equal(sends(4000000), DHCP_REQUEST);
	net_dhcp_renewal(&d, mac, 7, 4060000);
	assert_int_equal(sends(4060000), DHCP_DISCOVER);
}

/* However short: 3 s have T2 after 3 s, too. */
static void a_short_lease_that_has_ended_is_asked_for(void **state)
{
	(void)state;
	for (uint8_t s = 1; s < 16; s++) {
		net_dhcp_start(&d, mac, "me", 12345, 5000);
		memcpy(seconds, (uint8_t[4]){ 0, 0, 0, s }, sizeof(seconds));
		bind_at(5000);
		assert_int_equal(d.lease.seconds, s);
		net_dhcp_renewal(&d, mac, 7, 5000 + s * 1000u + 120000);
		assert_int_equal(sends(d.due), DHCP_DISCOVER);
		assert_true(answer(DHCP_OFFER, 2, 5, d.sent + 1));
		assert_int_equal(sends(d.due), DHCP_REQUEST);
		assert_true(answer(DHCP_ACK, 2, 5, d.sent + 1));
	}
}

/* RFC 2131, 4.3.2: a renewal is about the address in ciaddr. */
static void an_ack_for_another_address_renews_nothing(void **state)
{
	(void)state;
	bind_at(5000);
	net_dhcp_renewal(&d, mac, 7, 1805000);
	sends(1805000);
	assert_false(answer(DHCP_ACK, 1, 6, 1805001));
	assert_true(d.other);
	assert_int_equal(d.state, DHCP_RENEWING);
	assert_int_equal(d.lease.addr.ip[3], 5);
	assert_int_equal(d.bound, 5000);
	/* the right one still counts, from whoever it comes after T2 */
	assert_int_equal(sends(3156000), DHCP_REQUEST);
	assert_memory_equal(sent + 12, "\xc0\x00\x02\x05", 4);
	assert_false(answer(DHCP_ACK, 1, 6, 3156001));
	assert_true(answer(DHCP_ACK, 2, 5, 3156002));
	assert_int_equal(d.lease.addr.ip[3], 5);
}

static void a_nak_ends_a_renewal(void **state)
{
	(void)state;
	bind_at(5000);
	net_dhcp_renewal(&d, mac, 7, 1805000);
	sends(1805000);
	assert_true(answer(DHCP_NAK, 1, 5, 1805001));
	assert_int_equal(d.state, DHCP_LOST);
}

#define CLIENT(f) cmocka_unit_test_setup(f, start)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CLIENT(after_silence_broadcasts_are_asked_for),
		CLIENT(a_server_for_pxe_alone_offers_nothing),
		CLIENT(four_messages_make_a_lease_without_a_pause),
		CLIENT(silence_makes_the_pauses_grow_to_64_s),
		CLIENT(a_link_that_works_late_is_asked_by_at_once),
		CLIENT(a_link_that_works_again_does_not_ask_for_what_is_had),
		CLIENT(two_machines_do_not_keep_time),
		CLIENT(the_first_offer_wins_and_others_are_not_heard),
		CLIENT(an_ack_of_the_address_counts_from_any_server),
		CLIENT(a_needed_root_path_is_waited_for),
		CLIENT(and_takes_the_first_one_without_when_there_is_none),
		CLIENT(and_one_that_comes_late_does_not_wait_for_ever),
		CLIENT(an_ack_before_an_offer_is_not_heard),
		CLIENT(an_offer_that_nobody_confirms_is_given_up),
		CLIENT(after_a_nak_it_begins_again_at_once),
		CLIENT(offers_after_three_naks_are_taken_at_once),
		CLIENT(a_late_nak_is_not_for_the_next_request),
		CLIENT(a_server_that_always_refuses_is_asked_ever_more_rarely),
		CLIENT(of_two_servers_the_one_that_refuses_is_left),
		CLIENT(also_where_no_offer_has_the_root_path),
		CLIENT(a_lease_is_renewed_by_its_server),
		CLIENT(then_by_any),
		CLIENT(a_lease_that_has_ended_is_asked_for_again),
		CLIENT(after_an_offer_without_a_lease_all_are_asked_again),
		CLIENT(a_short_lease_that_has_ended_is_asked_for),
		CLIENT(an_ack_for_another_address_renews_nothing),
		CLIENT(a_nak_ends_a_renewal),
	};

	return cmocka_run_group_tests_name("DHCP client", tests, NULL, NULL);
}
