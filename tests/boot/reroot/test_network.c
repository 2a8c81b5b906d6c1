/* SPDX-License-Identifier: BSD-2-Clause */
/* The network of this machine as words, for this kernel and for another. */
#include "boot/reroot/reroot.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/words/plan.h"
#include "port/linux/iface.h"
#include "tests/unit.h"
#include "tests/world/say.h"
#include "tests/world/path.h"
#include "tests/world/open.h"

/* The machine. */
static struct iface_addr address;
static struct iface card;
static const char *server;

static struct nbd_diag d;
static struct reroot_words w;

int __wrap_iface_refresh_addr(struct iface_addr *a, struct nbd_diag *why);
int __wrap_iface_refresh_addr(struct iface_addr *a, struct nbd_diag *why)
{
	(void)why;
	assert_int_equal(a->a.len, address.a.len);
	assert_memory_equal(a->a.ip, address.a.ip, 16);
	*a = address;
	return 0;
}

int __wrap_iface_refresh(struct iface *l, struct nbd_diag *why);
int __wrap_iface_refresh(struct iface *l, struct nbd_diag *why)
{
	(void)why;
	assert_int_equal(l->index, address.index);
	*l = card;
	return 0;
}

static int begin(void **state)
{
	(void)state;
	address = (struct iface_addr){ .index = 2, .global = true };
	card = (struct iface){
		.index = 2,
		.mac = { 0x52, 0x54, 0, 0x12, 0x34, 0xab },
		.name = "ens2",
	};
	server = "";
	world = (struct world){ .others = WORLD_ABSENT };
	world_file("/sys/class/net/ens2/device", "");
	world_file("/proc/net/route", "");
	world_file("/proc/net/ipv6_route", "");
	world_file("/etc/resolv.conf", "");
	return 0;
}

static void has(const char *ip, unsigned prefix, bool lasting)
{
	assert_true(nbd_ip_parse(&address.a, ip));
	address.a.prefix = (uint8_t)prefix;
	address.lasting = lasting;
}

static int compose(bool anew)
{
	struct sockdiag_link l = { .local = address.a };

	nbd_ip_parse(&l.peer, server);
	reroot_words_begin(&w);
	d.text[0] = '\0';
	return reroot_network(&w, &l, anew, &d);
}

/* Both sorts of words; our own programs must understand them, too. */
static void become(const char *same, const char *anew)
{
	static struct net_plan p;

	assert_int_equal(compose(false), 0);
	assert_int_equal(reroot_words_end(&w, &d), 0);
	assert_string_equal(w.text, same);
	assert_int_equal(boot_plan_parse(&p, w.text, "192.0.2.1", &d), 0);
	assert_string_equal(p.ip[0].device, "ens2");

	assert_int_equal(compose(true), 0);
	assert_int_equal(reroot_words_end(&w, &d), 0);
	assert_string_equal(w.text, anew);
	assert_int_equal(boot_plan_parse(&p, w.text, "192.0.2.1", &d), 0);
	assert_string_equal(p.ip[0].device, "52-54-00-12-34-ab");
}

static void an_address_with_an_end_is_of_dhcp(void **state)
{
	(void)state;
	has("192.0.2.9", 24, false);
	become("ip=ens2:dhcp ", "ip=dhcp BOOTIF=01-52-54-00-12-34-ab ");
}

/* ---- tables as in /proc ---- */

static char table[65536];
static size_t filled;

static void table4(void)
{
	filled = (size_t)sprintf(table, "%-127s\n",
				 "Iface\tDestination\tGateway \tFlags\tRefCnt"
				 "\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT");
}

static void table6(void)
{
	table[filled = 0] = '\0';
}

/* The kernel prints an address as the CPU stores it. */
static void route4(const char *name, const char *to, const char *via,
		   unsigned flags, unsigned metric)
{
	char net[20], line[160];
	uint32_t dst, gw, mask;
	unsigned prefix = (unsigned)atoi(strchr(to, '/') + 1);

	snprintf(net, sizeof(net), "%.*s", (int)strcspn(to, "/"), to);
	inet_pton(AF_INET, net, &dst);
	inet_pton(AF_INET, via, &gw);
	mask = htonl((uint32_t)(~0ull << (32 - prefix)));
	snprintf(line, sizeof(line),
		 "%s\t%08X\t%08X\t%04X\t0\t0\t%u\t%08X\t0\t0\t0", name, dst, gw,
		 flags, metric, mask);
	filled += (size_t)snprintf(table + filled, sizeof(table) - filled,
				   "%-127s\n", line);
}

static void put6(const char *ip)
{
	unsigned char bytes[16];

	assert_int_equal(inet_pton(AF_INET6, ip, bytes), 1);
	for (unsigned i = 0; i < 16; i++)
		filled += (size_t)sprintf(table + filled, "%02x", bytes[i]);
}

static void route6(const char *name, const char *to, unsigned prefix,
		   const char *via, unsigned flags, unsigned metric)
{
	put6(to);
	filled += (size_t)sprintf(table + filled, " %02x ", prefix);
	put6("::");
	filled += (size_t)sprintf(table + filled, " 00 ");
	put6(via);
	filled += (size_t)sprintf(table + filled,
				  " %08x 00000001 00000000 %08x %8s\n", metric,
				  flags, name);
}

static void a_lasting_one_is_fixed(void **state)
{
	(void)state;
	has("192.0.2.9", 20, true);
	table4();
	route4("ens2", "0.0.0.0/0", "192.0.2.1", 3, 100);
	world_file("/proc/net/route", table);
	world_file("/etc/resolv.conf",
		   "nameserver 127.0.0.53\nnameserver 192.0.2.3\n");
	become("ip=192.0.2.9::192.0.2.1:255.255.240.0::ens2:off "
	       "nameserver=192.0.2.3 ",
	       "ip=192.0.2.9::192.0.2.1:255.255.240.0:::off "
	       "BOOTIF=01-52-54-00-12-34-ab nameserver=192.0.2.3 ");
}

static void blanks_in_resolv_conf_are_those_of_the_c_library(void **state)
{
	(void)state;
	has("192.0.2.9", 20, false);
	world_file("/etc/resolv.conf", "nameserver ::1\n"
				       "nameservers 192.0.2.7\n"
				       "nameserver\t192.0.2.3\n"
				       "nameserver  2001:db8::3 \n");
	become("ip=ens2:dhcp nameserver=192.0.2.3 nameserver=2001:db8::3 ",
	       "ip=dhcp BOOTIF=01-52-54-00-12-34-ab nameserver=192.0.2.3 "
	       "nameserver=2001:db8::3 ");
}

static void ipv6_is_advertised_fixed_or_local(void **state)
{
	(void)state;
	has("2001:db8::9", 64, false);
	become("ip=ens2:auto6 ", "ip=auto6 BOOTIF=01-52-54-00-12-34-ab ");
	has("2001:db8::9", 64, true);
	become("ip=[2001:db8::9]:::64::ens2:off ",
	       "ip=[2001:db8::9]:::64:::off BOOTIF=01-52-54-00-12-34-ab ");
	address.global = false;
	has("fe80::9", 64, true);
	become("ip=ens2:link6 ", "ip=link6 BOOTIF=01-52-54-00-12-34-ab ");
}

/* UP is 1, GATEWAY 2, HOST 4, REJECT 200. */
static void other_routes_of_the_interface_are_kept(void **state)
{
	static struct net_plan p;

	(void)state;
	has("192.0.2.9", 24, true);
	table4();
	route4("ens2", "0.0.0.0/0", "192.0.2.2", 3, 200);
	route4("ens2", "0.0.0.0/0", "192.0.2.1", 3, 100);
	route4("ens", "0.0.0.0/0", "198.51.100.1", 3, 0);
	route4("ens20", "10.0.0.0/8", "198.51.100.1", 3, 0);
	route4("ens2", "10.0.0.0/8", "192.0.2.3", 3, 5);
	route4("ens2", "10.0.0.0/8", "192.0.2.4", 3, 6);
	route4("ens2", "172.16.0.0/12", "0.0.0.0", 1, 0);
	route4("ens2", "172.16.0.0/13", "192.0.2.3", 2, 0);
	route4("ens2", "172.16.0.0/14", "192.0.2.3", 0x203, 0);
	route4("ens2", "192.0.2.0/24", "0.0.0.0", 1, 100);
	route4("ens2", "203.0.113.7/32", "192.0.2.5", 7, 0);
	route4("ens2", "224.0.0.0/4", "0.0.0.0", 1, 0);
	world_file("/proc/net/route", table);
	server = "203.0.113.7";
	become("ip=192.0.2.9::192.0.2.1:255.255.255.0::ens2:off "
	       "rd.route=203.0.113.7/32:192.0.2.5:ens2 "
	       "rd.route=10.0.0.0/8:192.0.2.3:ens2 "
	       "rd.route=172.16.0.0/12::ens2 ",
	       "ip=192.0.2.9::192.0.2.1:255.255.255.0:::off "
	       "rd.route=203.0.113.7/32:192.0.2.5 "
	       "rd.route=10.0.0.0/8:192.0.2.3 "
	       "rd.route=172.16.0.0/12: "
	       "BOOTIF=01-52-54-00-12-34-ab ");
	assert_int_equal(boot_plan_parse(&p, w.text, "192.0.2.1", &d), 0);
	assert_int_equal(p.n_route, 3);
	assert_int_equal(p.route[0].dst.prefix, 32);
	assert_int_equal(p.route[2].dst.prefix, 12);
	assert_int_equal(p.route[2].gw.len, 0);
}

static void those_of_an_address_with_an_end_come_again(void **state)
{
	(void)state;
	has("192.0.2.9", 24, false);
	table4();
	route4("ens2", "10.0.0.0/8", "192.0.2.3", 3, 5);
	world_file("/proc/net/route", table);
	become("ip=ens2:dhcp ", "ip=dhcp BOOTIF=01-52-54-00-12-34-ab ");
}

/* A container host has many, of other interfaces. */
static void a_long_table_is_read_whole(void **state)
{
	(void)state;
	has("192.0.2.9", 24, true);
	table4();
	for (unsigned i = 0; i < 300; i++)
		route4("veth0", "10.1.0.0/16", "0.0.0.0", 1, 0);
	route4("ens2", "0.0.0.0/0", "192.0.2.1", 3, 100);
	world_file("/proc/net/route", table);
	become("ip=192.0.2.9::192.0.2.1:255.255.255.0::ens2:off ",
	       "ip=192.0.2.9::192.0.2.1:255.255.255.0:::off "
	       "BOOTIF=01-52-54-00-12-34-ab ");
}

/* The boot refuses more of them, but needs that to the server. */
static void of_too_many_routes_that_to_the_server_stays(void **state)
{
	static struct net_plan p;
	char net[24];

	(void)state;
	has("192.0.2.9", 24, true);
	table4();
	for (int i = 0; i < PLAN_MAX + 3; i++) {
		sprintf(net, "10.%d.0.0/16", i);
		route4("ens2", net, "192.0.2.3", 3, 0);
	}
	world_file("/proc/net/route", table);
	server = "10.10.0.1";
	assert_int_equal(compose(false), 0);
	assert_int_equal(reroot_words_end(&w, &d), 0);
	assert_int_equal(boot_plan_parse(&p, w.text, server, &d), 0);
	assert_int_equal(p.n_route, PLAN_MAX);
	assert_memory_equal(p.route[0].dst.ip, "\12\12\0\0", 4);
	assert_string_equal(world.said,
			    "ens2: the first 16 routes are kept, 3 are "
			    "not\n");
}

/* ADDRCONF is 40000, DEFAULT 10000, EXPIRES 400000, LOCAL 80000000. */
static void ipv6_has_routes_as_well(void **state)
{
	static struct net_plan p;

	(void)state;
	has("2001:db8::9", 64, true);
	table6();
	route6("ens2", "::", 0, "fe80::2", 0x450003, 1024);
	world_file("/proc/net/ipv6_route", table);
	route6("ens2", "::", 0, "fe80::1", 0x3, 100);
	route6("lo", "::", 0, "::", 0x200200, 0xffffffff);
	route6("ens2", "2001:db8::", 64, "::", 0x1, 256);
	route6("ens2", "2001:db8:1::", 64, "::", 0x40001, 256);
	route6("ens2", "2001:db8:2::", 48, "2001:db8::5", 0x3, 1024);
	route6("ens2", "2001:db8:3::1", 128, "::", 0x5, 1024);
	route6("ens2", "fe80::", 64, "::", 0x1, 256);
	route6("ens2", "2001:db8::9", 128, "::", 0x80200001, 0);
	route6("ens2", "2001:db8::", 128, "::", 0x80300001, 0);
	route6("ens2", "ff00::", 8, "::", 0x1, 256);
	world_file("/proc/net/ipv6_route", table);
	become("ip=[2001:db8::9]::[fe80::1]:64::ens2:off "
	       "rd.route=[2001:db8:2::/48]:[2001:db8::5]:ens2 "
	       "rd.route=[2001:db8:3::1/128]::ens2 ",
	       "ip=[2001:db8::9]::[fe80::1]:64:::off "
	       "rd.route=[2001:db8:2::/48]:[2001:db8::5] "
	       "rd.route=[2001:db8:3::1/128]: "
	       "BOOTIF=01-52-54-00-12-34-ab ");
	assert_int_equal(boot_plan_parse(&p, w.text, "2001:db8::1", &d), 0);
	assert_int_equal(p.ip[0].gateway.len, 16);
	assert_int_equal(p.route[0].dst.prefix, 48);
	assert_int_equal(p.route[0].gw.ip[15], 5);
	/* a router's, if there is no other */
	table6();
	route6("ens2", "::", 0, "fe80::2", 0x450003, 1024);
	world_file("/proc/net/ipv6_route", table);
	become("ip=[2001:db8::9]::[fe80::2]:64::ens2:off ",
	       "ip=[2001:db8::9]::[fe80::2]:64:::off "
	       "BOOTIF=01-52-54-00-12-34-ab ");
}

static void another_kernel_lacks_what_software_made(void **state)
{
	(void)state;
	has("192.0.2.9", 24, false);
	world_file("/sys/class/net/ens2/device", NULL);
	assert_int_equal(compose(false), 0);
	assert_int_equal(compose(true), NBD_E_KERNEL);
	assert_non_null(strstr(d.text, "ens2, over which"));
	assert_non_null(strstr(d.text, "--append 'ip=...'"));
}

static void an_address_that_is_gone_is_an_error(void **state)
{
	(void)state;
	has("192.0.2.9", 24, false);
	card.name[0] = '\0';
	assert_int_equal(compose(false), NBD_E_UNREACHABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_address_with_an_end_is_of_dhcp,
				       begin),
		cmocka_unit_test_setup(a_lasting_one_is_fixed, begin),
		cmocka_unit_test_setup(other_routes_of_the_interface_are_kept,
				       begin),
		cmocka_unit_test_setup(
			those_of_an_address_with_an_end_come_again, begin),
		cmocka_unit_test_setup(a_long_table_is_read_whole, begin),
		cmocka_unit_test_setup(
			of_too_many_routes_that_to_the_server_stays, begin),
		cmocka_unit_test_setup(ipv6_has_routes_as_well, begin),
		cmocka_unit_test_setup(
			blanks_in_resolv_conf_are_those_of_the_c_library,
			begin),
		cmocka_unit_test_setup(ipv6_is_advertised_fixed_or_local,
				       begin),
		cmocka_unit_test_setup(another_kernel_lacks_what_software_made,
				       begin),
		cmocka_unit_test_setup(an_address_that_is_gone_is_an_error,
				       begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
