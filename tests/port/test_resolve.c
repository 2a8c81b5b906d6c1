/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which names are asked for, and for which kinds of addresses, where there is no
 * way to all IPv6 addresses.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "port/posix/dns.h"
#include "port/posix/lines.h"
#include "port/posix/sock.h"
#include "tests/unit.h"
#include "tests/world/path.h"

/* "NAME " or, with AAAA, "NAME* " for each question. */
static char asked[400];
static const char *known; /* has no A */
static bool has_six = true;
static int fault; /* of every question, or 0 */
static struct dns_conf conf, upstream;
static unsigned read_files;	     /* and asked for what the kernel has */
static unsigned ask_servers, ask_ms; /* of the last question */
static struct sock_addr found[SOCK_MAX_ADDRS];
static struct nbd_diag d;

void __wrap_dns_conf_read(struct dns_conf *c, const char *path);
int __wrap_dns_ask(const struct dns_conf *c, const char *name, bool want_six,
		   struct dns_found *four, struct dns_found *six);
int __wrap_dns_ask_service(const struct dns_conf *c, const char *name,
			   struct dns_found *f);
void __wrap_lines_each(const char *path, void (*fn)(void *ctx, char *word[]),
		       void *ctx);

void __wrap_lines_each(const char *path, void (*fn)(void *ctx, char *word[]),
		       void *ctx)
{
	char text[] = "192.0.2.3\0in-hosts\0";
	char *word[LINES_WORDS] = { text, text + 10 };

	assert_string_equal(path, "/etc/hosts");
	read_files++;
	for (unsigned i = 2; i < LINES_WORDS; i++)
		word[i] = text + sizeof(text) - 1;
	fn(ctx, word);
}

void __wrap_dns_conf_read(struct dns_conf *c, const char *path)
{
	bool etc = !strcmp(path, "/etc/resolv.conf");

	if (!etc)
		assert_string_equal(path, "/run/systemd/resolve/resolv.conf");
	read_files++;
	*c = etc ? conf : upstream;
}

int __wrap_dns_ask(const struct dns_conf *c, const char *name, bool want_six,
		   struct dns_found *four, struct dns_found *six)
{
	size_t n = strlen(asked);

	ask_servers = c->n;
	ask_ms = c->timeout_ms;
	snprintf(asked + n, sizeof(asked) - n, "%s%s ", name,
		 want_six ? "*" : "");
	four->n = six->n = 0;
	if (fault)
		return fault;
	if (!known || strcmp(name, known) != 0)
		return NBD_E_RESOLVE;
	if (!want_six || !has_six)
		return 0;
	six->ip[0] = (struct nbd_ip){ .len = 16, .ip = { 0xfd } };
	six->n = 1;
	return 1;
}

static int begin(void **state)
{
	(void)state;
	/* no IPv6 in the kernel */
	world.others = WORLD_ABSENT;
	return 0;
}

static int look_up(const char *host, const char *search, const char *has)
{
	memset(&conf, 0, sizeof(conf));
	conf.ndots = 1;
	snprintf(conf.search, sizeof(conf.search), "%s", search);
	asked[0] = '\0';
	known = has;
	return sock_resolve_host(host, 10809, found, &d);
}

static void a_short_name_may_have_ipv6_alone(void **state)
{
	(void)state;
	assert_int_equal(look_up("srv0", "a.test b.test", "srv0.b.test"), 1);
	assert_string_equal(asked, "srv0.a.test srv0.b.test srv0 "
				   "srv0.a.test* srv0.b.test* ");
	assert_int_equal(found[0].host.len, 16);
	assert_int_equal(found[0].port, 10809);
	assert_int_equal(look_up("srv0.test", "a.test", "srv0.test"), 1);
	assert_string_equal(asked, "srv0.test srv0.test* ");
}

static void nobody_is_asked_again_after_silence(void **state)
{
	(void)state;
	fault = NBD_E_TIMEOUT;
	assert_int_equal(look_up("srv0", "a.test b.test", NULL), NBD_E_RESOLVE);
	assert_string_equal(asked, "srv0.a.test srv0 ");
	assert_non_null(strstr(d.text, "no answer from a name server"));
	fault = NBD_E_REFUSED;
	assert_int_equal(look_up("srv0", "a.test b.test", NULL), NBD_E_RESOLVE);
	assert_string_equal(asked, "srv0.a.test srv0 ");
	assert_non_null(strstr(d.text, "all name servers refuse"));
	fault = NBD_E_UNREACHABLE;
	assert_int_equal(look_up("srv0", "", NULL), NBD_E_RESOLVE);
	assert_non_null(strstr(d.text, "no route to a name server"));
	fault = 0;
	assert_int_equal(look_up("srv0.", "a.test", NULL), NBD_E_RESOLVE);
	assert_string_equal(asked, "srv0. ");
	assert_non_null(strstr(d.text, "no such name"));
}

static void a_name_that_is_not_there_is_asked_for_once(void **state)
{
	(void)state;
	assert_int_equal(look_up("srv0", "a.test b.test", NULL), NBD_E_RESOLVE);
	assert_string_equal(asked, "srv0.a.test srv0.b.test srv0 ");
	assert_non_null(strstr(d.text, "no such name"));
	has_six = false;
	assert_int_equal(look_up("srv0", "a.test", "srv0.a.test"),
			 NBD_E_RESOLVE);
	has_six = true;
	assert_string_equal(asked, "srv0.a.test srv0 srv0.a.test* srv0* ");
	assert_non_null(strstr(d.text, "it has no address"));
}

/* resolv.conf(5): first as it is, and then in the domains. */
static void a_name_with_dots_may_be_one_of_a_domain(void **state)
{
	(void)state;
	assert_int_equal(
		look_up("srv0.lab", "a.test b.test", "srv0.lab.b.test"), 1);
	assert_string_equal(asked, "srv0.lab srv0.lab.a.test srv0.lab.b.test "
				   "srv0.lab* srv0.lab.a.test* "
				   "srv0.lab.b.test* ");
	assert_int_equal(look_up("srv0.lab", "a.test", NULL), NBD_E_RESOLVE);
	assert_string_equal(asked, "srv0.lab srv0.lab.a.test ");
	assert_int_equal(look_up("srv0.lab.", "a.test", NULL), NBD_E_RESOLVE);
	assert_string_equal(asked, "srv0.lab. ");
	/* silence says nothing of the name */
	fault = NBD_E_TIMEOUT;
	assert_int_equal(look_up("srv0.lab", "a.test", NULL), NBD_E_RESOLVE);
	assert_string_equal(asked, "srv0.lab ");
	fault = 0;
}

/* ---- services ---- */

static struct dns_target service[DNS_TARGETS];
static unsigned n_service;

int __wrap_dns_ask_service(const struct dns_conf *c, const char *name,
			   struct dns_found *f)
{
	size_t n = strlen(asked);

	(void)c;
	snprintf(asked + n, sizeof(asked) - n, "%s! ", name);
	f->n = n_service;
	memcpy(f->target, service, sizeof(service));
	return fault ? fault : f->n ? 1 : 0;
}

static void serve(const char *name, unsigned priority, unsigned port)
{
	struct dns_target *t = &service[n_service++];

	*t = (struct dns_target){ .priority = (uint16_t)priority,
				  .port = (uint16_t)port };
	snprintf(t->name, sizeof(t->name), "%s", name);
}

#define SERVICE "_NBD._tcp.test"

static void a_service_has_the_addresses_of_its_servers(void **state)
{
	(void)state;
	fault = 0;
	n_service = 0;
	serve("192.0.2.1", 1, 10810);
	serve("nobody.test", 2, 1);
	/* it could lead to itself */
	serve(SERVICE, 3, 10811);
	serve("", 4, 0);
	/* a whole name, too */
	serve("short", 4, 1);
	serve("srv0.test", 5, 10812);
	assert_int_equal(look_up(SERVICE, "a.test", "srv0.test"), 2);
	assert_string_equal(asked, SERVICE "! nobody.test short "
					   "srv0.test srv0.test* ");
	assert_int_equal(found[0].port, 10810);
	assert_true(found[0].server);
	assert_int_equal(found[1].host.len, 16);
	assert_int_equal(found[1].port, 10812);
	assert_true(found[1].server);
}

static void why_there_is_no_service_is_said(void **state)
{
	(void)state;
	n_service = 0;
	assert_int_equal(look_up(SERVICE, "", NULL), NBD_E_RESOLVE);
	assert_non_null(strstr(d.text, "it has no SRV record"));
	serve("", 4, 0);
	assert_int_equal(look_up(SERVICE, "", NULL), NBD_E_RESOLVE);
	assert_non_null(strstr(d.text, "there is no such service"));
	n_service = 0;
	serve("nobody.test", 1, 10810);
	assert_int_equal(look_up(SERVICE, "", NULL), NBD_E_RESOLVE);
	assert_non_null(strstr(d.text, "nobody.test: no such name"));
	fault = NBD_E_TIMEOUT;
	assert_int_equal(look_up(SERVICE, "", NULL), NBD_E_RESOLVE);
	assert_non_null(strstr(d.text, "no answer from a name server"));
	fault = 0;
	assert_int_equal(sock_resolve_host(SERVICE, 10810, found, &d),
			 NBD_E_URI);
	assert_non_null(strstr(d.text, "leave :10810 out"));
}

/* The kernel would say EINVAL, and a name server knows no interfaces. */
static void an_address_of_one_link_needs_its_interface(void **state)
{
	(void)state;
	asked[0] = '\0';
	assert_int_equal(sock_resolve_host("fe80::1", 10809, found, &d),
			 NBD_E_URI);
	assert_non_null(strstr(d.text, "fe80::1%25eth0"));
	assert_int_equal(sock_resolve_host("fe80::1%none", 10809, found, &d),
			 NBD_E_RESOLVE);
	assert_non_null(strstr(d.text, "no such interface"));
	assert_string_equal(asked, "");
	assert_int_equal(sock_resolve_host("fe80::1%lo", 10809, found, &d), 1);
	assert_int_equal(sock_resolve_host("fd00::1", 10809, found, &d), 1);
}

/* The last one: nothing ends it. */
static void a_process_that_stays_reads_no_file(void **state)
{
	(void)state;
	assert_true(sock_resolve_fixed("in-hosts"));
	assert_true(sock_resolve_fixed("192.0.2.1"));
	assert_true(sock_resolve_fixed("localhost"));
	assert_false(sock_resolve_fixed("srv0"));
	memset(&conf, 0, sizeof(conf));
	memset(&upstream, 0, sizeof(upstream));
	conf.ndots = 1;
	conf.timeout_ms = 30000;
	strcpy(conf.search, "a.test");
	/* systemd-resolved, and what it asks */
	sock_parse("127.0.0.53", DNS_PORT, &conf.server[conf.n++]);
	sock_parse("192.0.2.1", DNS_PORT, &upstream.server[upstream.n++]);
	sock_parse("::1", DNS_PORT, &upstream.server[upstream.n++]);
	sock_parse("192.0.2.2", DNS_PORT, &upstream.server[upstream.n++]);
	sock_resolve_keep();
	read_files = 0;
	world.asked = 0;
	fault = 0;
	assert_int_equal(look_up("srv0", "", "srv0.a.test"), 1);
	assert_string_equal(asked, "srv0.a.test srv0 srv0.a.test* ");
	assert_int_equal(ask_servers, 3);
	assert_int_equal(ask_ms, 2000);
	assert_int_equal(look_up("in-hosts", "", NULL), NBD_E_RESOLVE);
	assert_false(sock_resolve_fixed("in-hosts"));
	assert_int_equal(read_files + world.asked, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_name_may_have_ipv6_alone),
		cmocka_unit_test(a_name_with_dots_may_be_one_of_a_domain),
		cmocka_unit_test(a_name_that_is_not_there_is_asked_for_once),
		cmocka_unit_test(nobody_is_asked_again_after_silence),
		cmocka_unit_test(a_service_has_the_addresses_of_its_servers),
		cmocka_unit_test(why_there_is_no_service_is_said),
		cmocka_unit_test(an_address_of_one_link_needs_its_interface),
		cmocka_unit_test(a_process_that_stays_reads_no_file),
	};

	return cmocka_run_group_tests_name("names", tests, begin, NULL);
}
