/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of servers that move, with DNS and the clock played. */
#include "boot/watch/servers.h"
#include "port/posix/sock.h"
#include "tests/unit.h"
#include "tests/world/clock.h"

static unsigned asked, slow_ms;
static uint16_t service_port; /* 0: that of the URI */
static unsigned chance;
static bool kept; /* files may not be read any more */

/* What DNS says: "NAME ADDRESS..." each. */
static const char *zone[4];

static struct watch_servers s;
static struct backend b;
static char buf[BACKEND_BUF];
static struct nbd_diag d;

int __wrap_sock_resolve(const struct nbd_uri *uri, struct sock_addr addrs[],
			struct nbd_diag *d);
bool __wrap_sock_resolve_fixed(const char *host);
void __wrap_sock_resolve_keep(void);
bool __wrap_sock_lacks(const struct sock_addr *a);

int __wrap_sock_resolve(const struct nbd_uri *uri, struct sock_addr addrs[],
			struct nbd_diag *why)
{
	int n = 0;

	(void)why;
	asked++;
	world.now += slow_ms;
	for (unsigned i = 0; i < 4 && zone[i]; i++) {
		char line[200], *rest = line, *word;

		nbd_fmt(line, sizeof(line), "%s", zone[i]);
		if (strcmp(strsep(&rest, " "), uri->host) != 0)
			continue;
		while ((word = strsep(&rest, " "))) {
			memset(&addrs[n], 0, sizeof(addrs[n]));
			assert_true(sock_parse(
				word, service_port ? service_port : uri->port,
				&addrs[n]));
			addrs[n].server = chance++ % 2;
			n++;
		}
	}
	return n ? n : NBD_E_RESOLVE;
}

bool __wrap_sock_resolve_fixed(const char *host)
{
	return !strncmp(host, "192.", 4) || !strcmp(host, "in-hosts");
}

void __wrap_sock_resolve_keep(void)
{
	kept = true;
}

static bool no_six;

bool __wrap_sock_lacks(const struct sock_addr *a)
{
	return a->host.len == 16 && no_six;
}

static void begin(const char *uris)
{
	memset(&s, 0, sizeof(s));
	memset(&b, 0, sizeof(b));
	assert_int_equal(device_backend_parse(&b, buf, uris), 0);
	kept = false;
	world.now += 1000000;
	watch_servers_open(&s, &b);
	assert_true(kept);
	asked = 0;
}

/* Its servers, as "HOST:PORT HOST:PORT". */
static const char *are(void)
{
	static char text[200];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	for (unsigned i = 0; i < b.servers; i++)
		nbd_putf(&o, "%s%s:%u", i ? " " : "", b.uris[i].host,
			 b.uris[i].port);
	text[o.len] = '\0';
	return text;
}

static bool again(void)
{
	d.text[0] = '\0';
	return watch_servers_again(&s, &b, &d);
}

static void tell(const char *a, const char *c, const char *e)
{
	zone[0] = a;
	zone[1] = c;
	zone[2] = e;
}

static void a_name_that_moves_is_found(void **state)
{
	(void)state;
	tell("srv.example 192.0.2.1", NULL, NULL);
	begin("nbds://srv.example:10810/x");
	assert_string_equal(are(), "192.0.2.1:10810");
	assert_string_equal(b.uris[0].tls_hostname, "srv.example");
	assert_false(again());
	tell("srv.example 192.0.2.7 2001:db8::7", NULL, NULL);
	world.now += 2000;
	assert_true(again());
	assert_string_equal(are(), "192.0.2.7:10810 2001:db8::7:10810");
	assert_string_equal(b.uris[1].tls_hostname, "srv.example");
	assert_string_equal(d.text,
			    "srv.example is at 192.0.2.7, 2001:db8::7 now");
}

static void without_an_answer_it_stays(void **state)
{
	(void)state;
	tell("srv.example 192.0.2.1 192.0.2.2", NULL, NULL);
	begin("nbd://srv.example/");
	tell(NULL, NULL, NULL);
	for (unsigned i = 0; i < 9; i++, world.now += 40000)
		assert_false(again());
	assert_int_equal(asked, 9);
	assert_string_equal(are(), "192.0.2.1:10809 192.0.2.2:10809");
	/* one that had none gets some */
	begin("nbd://srv.example/");
	assert_string_equal(are(), "srv.example:10809");
	tell("srv.example 192.0.2.3", NULL, NULL);
	assert_true(again());
	assert_string_equal(are(), "192.0.2.3:10809");
}

static void another_order_is_no_news(void **state)
{
	(void)state;
	tell("srv.example 192.0.2.1 192.0.2.2", NULL, NULL);
	begin("nbd://srv.example/");
	tell("srv.example 192.0.2.2 192.0.2.1", NULL, NULL);
	assert_false(again());
	assert_string_equal(are(), "192.0.2.1:10809 192.0.2.2:10809");
	world.now += 2000;
	tell("srv.example 192.0.2.2", NULL, NULL);
	assert_true(again());
	assert_string_equal(are(), "192.0.2.2:10809");
}

static void questions_are_seldom_and_end(void **state)
{
	(void)state;
	tell("srv.example 192.0.2.1", NULL, NULL);
	begin("nbd://srv.example/");
	for (uint64_t end = world.now + 600000; world.now < end;
	     world.now += 100)
		again();
	/* 1 s, doubled up to 30 s, and up to an eighth less */
	assert_in_range(asked, 20, 30);
	/* the next outage begins anew */
	watch_servers_found(&s);
	asked = 0;
	for (uint64_t end = world.now + 40000; world.now < end;
	     world.now += 100)
		again();
	assert_in_range(asked, 4, 7);
	/* a server of names that is silent takes one turn, not one each */
	tell(NULL, NULL, NULL);
	begin("nbd://a/,nbd://b/,nbd://c/,nbd://d/");
	slow_ms = 4000;
	assert_false(again());
	slow_ms = 0;
	assert_int_equal(asked, 1);
}

static void only_names_of_dns_are_asked_for(void **state)
{
	(void)state;
	tell("192.0.2.9 192.0.2.9", "in-hosts 192.0.2.8",
	     "srv.example 192.0.2.1 192.0.2.2 192.0.2.3");
	begin("nbd://192.0.2.9/,nbd+unix:///?socket=/s,nbd://in-hosts/,"
	      "nbd://srv.example/");
	assert_int_equal(b.servers, 4);
	assert_true(b.uris[1].is_unix);
	tell("192.0.2.9 192.0.2.7", "in-hosts 192.0.2.7",
	     "srv.example 192.0.2.7");
	assert_true(again());
	assert_int_equal(asked, 1);
	assert_string_equal(b.uris[0].host, "192.0.2.9");
	assert_string_equal(b.uris[2].host, "192.0.2.8");
	assert_string_equal(b.uris[3].host, "192.0.2.7");
}

static void there_is_room_for_a_few_addresses(void **state)
{
	(void)state;
	tell("many.example 192.0.2.1 192.0.2.2 192.0.2.3 192.0.2.4 192.0.2.5",
	     "srv.example 192.0.2.6", NULL);
	begin("nbd://many.example/,nbd://srv.example/");
	assert_string_equal(are(), "192.0.2.1:10809 192.0.2.2:10809 "
				   "192.0.2.3:10809 192.0.2.6:10809");
	/* with room from the first the second gets more */
	tell("many.example 192.0.2.5", "srv.example 192.0.2.6 192.0.2.7", NULL);
	assert_true(again());
	assert_string_equal(are(), "192.0.2.5:10809 192.0.2.6:10809 "
				   "192.0.2.7:10809");
	/* spread: connections are counted by server */
	begin("nbd://many.example/,nbd://srv.example/ connections=2 spread");
	assert_string_equal(are(), "192.0.2.5:10809 192.0.2.6:10809");
	/* a kernel without IPv6 would look for its module */
	no_six = true;
	begin("nbd://many.example/");
	tell("many.example 2001:db8::1", NULL, NULL);
	assert_false(again());
	no_six = false;
}

static void a_service_may_move_to_other_ports(void **state)
{
	(void)state;
	tell("_nbd._tcp.example 192.0.2.1", NULL, NULL);
	begin("nbds://_nbd._tcp.example/x");
	assert_string_equal(are(), "192.0.2.1:10809");
	/* not the name of a server, which DNS may forge */
	assert_string_equal(b.uris[0].tls_hostname, "example");
	service_port = 10888;
	assert_true(again());
	service_port = 0;
	assert_string_equal(are(), "192.0.2.1:10888");
}

/* Two servers of a service may have one address, until one of them moves. */
static void one_address_of_two_servers_counts_once(void **state)
{
	(void)state;
	tell("_nbd._tcp.example 192.0.2.1 192.0.2.1", NULL, NULL);
	begin("nbd://_nbd._tcp.example/");
	assert_string_equal(are(), "192.0.2.1:10809");
	tell("_nbd._tcp.example 192.0.2.1 192.0.2.2", NULL, NULL);
	assert_true(again());
	assert_string_equal(are(), "192.0.2.1:10809 192.0.2.2:10809");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_moves_is_found),
		cmocka_unit_test(without_an_answer_it_stays),
		cmocka_unit_test(another_order_is_no_news),
		cmocka_unit_test(questions_are_seldom_and_end),
		cmocka_unit_test(only_names_of_dns_are_asked_for),
		cmocka_unit_test(there_is_room_for_a_few_addresses),
		cmocka_unit_test(a_service_may_move_to_other_ports),
		cmocka_unit_test(one_address_of_two_servers_counts_once),
	};

	return cmocka_run_group_tests_name("servers of a watcher", tests, NULL,
					   NULL);
}
