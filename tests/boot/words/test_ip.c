/* SPDX-License-Identifier: BSD-2-Clause */
/* Every documented form of ip= and of the words beside it. */
#include "boot/words/plan.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include "tests/guard.h"
#include "tests/unit.h"

static struct nbd_diag d;
static char text[2048];
static struct nbd_out o;

static void begin(void)
{
	memset(text, 0, sizeof(text));
	o = (struct nbd_out){ .buf = text, .cap = sizeof(text) };
}

static void put(const char *name, const struct nbd_ip *a)
{
	if (!a->len)
		return;
	nbd_putf(&o, " %s ", name);
	nbd_put_ip(&o, a->ip, a->len);
	nbd_putf(&o, "/%u", a->prefix);
}

static const char *describe(const struct ip_config *ip)
{
	static const char *const methods[] = { "off",  "link",	"static",
					       "dhcp", "auto6", "link6" };
	const unsigned char *m = ip->mac;

	begin();
	nbd_putf(&o, "%s", methods[ip->method]);
	put("client", &ip->client);
	put("peer", &ip->peer);
	put("gw", &ip->gateway);
	put("dns0", &ip->dns[0]);
	put("dns1", &ip->dns[1]);
	if (ip->host[0])
		nbd_putf(&o, " host %s", ip->host);
	if (ip->device[0])
		nbd_putf(&o, " dev %s", ip->device);
	if (ip->mtu)
		nbd_putf(&o, " mtu %u", ip->mtu);
	if (memcmp(m, "\0\0\0\0\0\0", 6) != 0)
		nbd_putf(&o, " mac %02x%02x%02x%02x%02x%02x", m[0], m[1], m[2],
			 m[3], m[4], m[5]);
	return text;
}

static const struct form {
	const char *ip, *is;
} forms[] = {
	/* the kernel: Documentation/admin-guide/nfs/nfsroot.rst */
	{ "off", "off" },
	{ "none", "off" },
	{ "", "off" },
	{ "on", "dhcp" },
	{ "any", "dhcp" },
	{ "dhcp", "dhcp" },
	{ "10.0.2.15", "static client 10.0.2.15/8" },
	{ "172.16.0.1", "static client 172.16.0.1/16" },
	{ "192.0.2.5", "static client 192.0.2.5/24" },
	{ ":::::eth0", "dhcp dev eth0" },
	{ ":::::eth0:dhcp", "dhcp dev eth0" },
	{ ":::::eth0:on", "dhcp dev eth0" },
	{ "::::guest:eth0:none", "link host guest dev eth0" },
	{ "::::guest::dhcp", "dhcp host guest" },
	{ "10.0.2.15:10.0.2.2:10.0.2.1:255.255.255.0:guest:eth1:off:10.0.2.3:"
	  "10.0.2.4:10.0.2.5",
	  "static client 10.0.2.15/24 peer 10.0.2.2/32 gw 10.0.2.1/32 dns0 "
	  "10.0.2.3/32 dns1 10.0.2.4/32 host guest dev eth1" },
	{ "10.0.2.15::10.0.2.1:255.255.255.0::eth1:off::10.0.2.4",
	  "static client 10.0.2.15/24 gw 10.0.2.1/32 dns1 10.0.2.4/32 dev "
	  "eth1" },
	{ "10.0.2.15::10.0.2.1:255.255.255.0::eth1:off:::10.0.2.5",
	  "static client 10.0.2.15/24 gw 10.0.2.1/32 dev eth1" },
	{ "10.0.2.15:::24", "static client 10.0.2.15/24" },
	{ "10.0.2.15:::255.255.255.255", "static client 10.0.2.15/32" },
	{ "10.0.2.15:::0.0.0.0", "static client 10.0.2.15/0" },
	{ "10.0.2.15/25::10.0.2.1",
	  "static client 10.0.2.15/25 gw 10.0.2.1/32" },
	{ "10.0.2.15/25:::255.0.0.0", "static client 10.0.2.15/25" },
	/* klibc's ipconfig: static is its other word for none */
	{ "10.0.2.15:::24::eth0:static",
	  "static client 10.0.2.15/24 dev eth0" },
	/* dracut.cmdline(7): one method for all */
	{ "dhcp", "dhcp" },
	{ "auto6", "auto6" },
	{ "either6", "auto6" },
	{ "link6", "link6" },
	{ "single-dhcp", "dhcp" },
	/* <interface>:{dhcp|on|any|dhcp6|auto6|link6}[:[<mtu>][:<macaddr>]] */
	{ "eth0:dhcp", "dhcp dev eth0" },
	{ "eth0:on", "dhcp dev eth0" },
	{ "eth0:any", "dhcp dev eth0" },
	{ "eth0:auto6", "auto6 dev eth0" },
	{ "eth0:either6", "auto6 dev eth0" },
	{ "eth0:link6", "link6 dev eth0" },
	{ "eth0:off", "link dev eth0" },
	{ "eth0:none", "link dev eth0" },
	{ "eth0.5:dhcp:1400", "dhcp dev eth0.5 mtu 1400" },
	{ "eth0:dhcp:9000:52:54:00:12:34:56",
	  "dhcp dev eth0 mtu 9000 mac 525400123456" },
	{ "eth0:dhcp::52:54:00:12:34:56", "dhcp dev eth0 mac 525400123456" },
	{ "52-54-00-12-34-56:dhcp", "dhcp dev 52-54-00-12-34-56" },
	{ ":dhcp", "dhcp" },
	/* <client-IP>:[<peer>]:<gateway-IP>:<netmask>:<client_hostname>: */
	{ "192.0.2.5::192.0.2.1:255.255.255.0:h:eth0:none",
	  "static client 192.0.2.5/24 gw 192.0.2.1/32 host h dev eth0" },
	{ "192.0.2.5::192.0.2.1:255.255.255.0:h:eth0:none:1400",
	  "static client 192.0.2.5/24 gw 192.0.2.1/32 host h dev eth0 mtu "
	  "1400" },
	{ "192.0.2.5::192.0.2.1:24:h:eth0:none:1400:52:54:00:ab:CD:ef",
	  "static client 192.0.2.5/24 gw 192.0.2.1/32 host h dev eth0 mtu 1400 "
	  "mac 525400abcdef" },
	{ "192.0.2.5::192.0.2.1:24:h:eth0:none::52:54:00:ab:cd:ef",
	  "static client 192.0.2.5/24 gw 192.0.2.1/32 host h dev eth0 mac "
	  "525400abcdef" },
	{ "192.0.2.5::192.0.2.1:24:h:eth0:none:192.0.2.3:192.0.2.4",
	  "static client 192.0.2.5/24 gw 192.0.2.1/32 dns0 192.0.2.3/32 dns1 "
	  "192.0.2.4/32 host h dev eth0" },
	{ "192.0.2.5:192.0.2.9::255.255.255.255::eth0:none",
	  "static client 192.0.2.5/32 peer 192.0.2.9/32 dev eth0" },
	{ "::::h:eth0:dhcp:1400", "dhcp host h dev eth0 mtu 1400" },
	/* an address wins over a method, as it does in the kernel */
	{ "192.0.2.5::192.0.2.1:24:h:eth0:dhcp",
	  "static client 192.0.2.5/24 gw 192.0.2.1/32 host h dev eth0" },
	/* IPv6 in brackets */
	{ "[2001:db8::5]::[2001:db8::1]:64:h:eth0:none",
	  "static client 2001:db8::5/64 gw 2001:db8::1/128 host h dev eth0" },
	{ "[2001:db8::5]:::48::eth0:none:[2001:db8::53]",
	  "static client 2001:db8::5/48 dns0 2001:db8::53/128 dev eth0" },
	{ "[2001:db8::5/56]::[fe80::1]:::eth0",
	  "static client 2001:db8::5/56 gw fe80::1/128 dev eth0" },
	{ "[2001:db8::5]", "static client 2001:db8::5/64" },
	{ "[2001:db8::5]:[2001:db8::9]::128::eth0:none:1400:52:54:00:1:2:3",
	  NULL },
};

static void every_documented_form_is_understood(void **state)
{
	struct ip_config ip;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		int rc = boot_ip_parse(&ip, forms[i].ip, &d);

		if (!forms[i].is) {
			assert_int_equal(rc, NBD_E_USAGE);
			continue;
		}
		if (rc)
			print_message("%s: %s\n", forms[i].ip, d.text);
		assert_int_equal(rc, 0);
		assert_string_equal(describe(&ip), forms[i].is);
	}
}

static void what_is_wrong_is_named(void **state)
{
	static const struct form t[] = {
		{ "ibft", "ibft is not in this program" },
		{ "eth0:bootp", "bootp is not in this program" },
		{ ":::::eth0:ibft", "ibft is not in this program" },
		{ "bootp", "bootp is not in this program" },
		{ "rarp", "not in this program" },
		{ "both", "not in this program" },
		{ "dchp", "method is wrong: dchp" },
		{ ":::::eth0:dchp", "method is wrong: dchp" },
		{ "10.0.0.256", "client" },
		{ "10.0.0", "client" },
		{ "10.0.0.1.2:", "client" },
		{ "10.0.0.1/33", "client" },
		{ "10.0.0.1/", "client" },
		{ "10.0.0.1/-1", "client" },
		{ "[2001:db8::1/129]", "client" },
		{ "[2001:db8::g]", "client" },
		{ "2001:db8::1", "client" },
		{ "eth0::dhcp", "gateway" },
		{ "10.0.0.1:::255.0.255.0", "netmask" },
		{ "10.0.0.1:::33", "netmask" },
		{ "10.0.0.1:::x", "netmask" },
		{ "[2001:db8::1]:::255.255.255.0", "netmask" },
		{ "10.0.0.1::gw", "gateway" },
		{ "10.0.0.1::::::off:1.2.3.x", "dns0" },
		{ "10.0.0.1::::::off:dns", "dns0" },
		{ "10.0.0.1::::::off::dns", "dns1" },
		{ "10.0.0.1::::::off:65536", "MTU" },
		{ "eth0:dhcp:14x", "MTU" },
		{ "eth0:dhcp::52:54:00:12:34:5x", "MAC" },
		{ "eth0:dhcp::52:54:00:12:34:", "MAC" },
		{ "eth0:dhcp::52:54:00:12:34:567", "MAC" },
		{ "eth0:dhcp::52:54:00:12:34", "wrong" },
		{ "10.0.0.1:::::a-name-of-16-chr:", "device" },
		{ "10.0.0.1:::::../x:", "device" },
		{ "../x:dhcp", "device" },
		{ "1.2.3.4:::::::::5.6.7.8:9", "ntp0" },
		{ "1.2.3.4::::::::::::::", "length" },
	};
	struct ip_config ip;
	char longer[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		if (boot_ip_parse(&ip, t[i].ip, &d) != NBD_E_USAGE ||
		    !strstr(d.text, t[i].is))
			fail_msg("%s: %s, not %s", t[i].ip, d.text, t[i].is);
	}
	memset(longer, '1', sizeof(longer));
	longer[256] = '\0';
	assert_int_equal(boot_ip_parse(&ip, longer, &d), NBD_E_USAGE);
}

static void no_cut_of_a_form_is_read_beyond_its_end(void **state)
{
	struct guard g = guard_new(256);
	struct ip_config ip;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		for (size_t n = 0; n <= strlen(forms[i].ip); n++) {
			char *p = guard_end(&g, n + 1);
			int rc;

			memcpy(p, forms[i].ip, n);
			p[n] = '\0';
			rc = boot_ip_parse(&ip, p, &d);
			assert_true(rc == 0 || rc == NBD_E_USAGE);
		}
	guard_free(&g);
}

/* ---- the other words ---- */

static struct net_plan plan;

static void words(const char *line)
{
	int rc = boot_plan_parse(&plan, line, NULL, &d);

	if (rc)
		print_message("%s: %s\n", line, d.text);
	assert_int_equal(rc, 0);
	begin();
}

static void name_servers_and_routes_may_be_repeated(void **state)
{
	(void)state;
	words("nameserver=192.0.2.3 root=x nameserver=2001:db8::53 "
	      "nameserver=[2001:db8::54] rd.route=192.168.200.0/24:192.0.2.2 "
	      "rd.route=10.0.0.0/8:192.0.2.3:ens10 rd.route=10.9.0.0/16 "
	      "rd.route=[2001:db8:3::/48]:[2001:db8:2::1]:ens11");
	for (unsigned i = 0; i < plan.n_dns; i++)
		put("dns", &plan.dns[i]);
	for (unsigned i = 0; i < plan.n_route; i++) {
		put("to", &plan.route[i].dst);
		put("via", &plan.route[i].gw);
		nbd_putf(&o, " by %s", plan.route[i].device);
	}
	assert_string_equal(
		text, " dns 192.0.2.3/32 dns 2001:db8::53/128 dns "
		      "2001:db8::54/128 to 192.168.200.0/24 via "
		      "192.0.2.2/32 by  to 10.0.0.0/8 via 192.0.2.3/32 "
		      "by ens10 to 10.9.0.0/16 by  to 2001:db8:3::/48 via "
		      "2001:db8:2::1/128 by ens11");
}

static void interfaces_get_names_and_vlans(void **state)
{
	(void)state;
	words("ifname=net0:52:54:00:12:34:56 ifname=net1:52-54-00-12-34-57 "
	      "vlan=vlan0005:eth0 vlan=eth0.7:eth0 vlan=vlan4094:net1");
	assert_int_equal(plan.n_name, 2);
	assert_string_equal(plan.name[0].name, "net0");
	assert_memory_equal(plan.name[0].mac, "\x52\x54\0\x12\x34\x56", 6);
	assert_string_equal(plan.name[1].name, "net1");
	assert_int_equal(plan.n_vlan, 3);
	assert_string_equal(plan.vlan[0].name, "vlan0005");
	assert_int_equal(plan.vlan[0].id, 5);
	assert_string_equal(plan.vlan[0].device, "eth0");
	assert_string_equal(plan.vlan[1].name, "eth0.7");
	assert_int_equal(plan.vlan[1].id, 7);
	assert_int_equal(plan.vlan[2].id, 4094);
}

static void the_device_that_is_not_named_is_the_loaders(void **state)
{
	static const struct form t[] = {
		{ "ip=dhcp", "" },
		{ "BOOTIF=01-52-54-00-12-34-56 ip=dhcp", "52-54-00-12-34-56" },
		{ "BOOTIF=52:54:00:12:34:56", "52:54:00:12:34:56" },
		{ "BOOTIF=01-52-54-00-12-34-56 ip=eth3:dhcp", "eth3" },
		{ "ip=dhcp bootdev=eth1", "eth1" },
		{ "bootdev=eth1 BOOTIF=01-52-54-00-12-34-56 ip=dhcp", "eth1" },
		{ "BOOTIF=01-52-54-00-12-34-56 bootdev=eth1 ip=dhcp", "eth1" },
		/* menus whose loader has no MAC */
		{ "BOOTIF= ip=dhcp", "" },
		{ "BOOTIF=01- ip=dhcp", "" },
		/* and installers, which write its name for a device */
		{ "ip=BOOTIF:dhcp BOOTIF=01-52-54-00-12-34-56",
		  "52-54-00-12-34-56" },
		{ "bootdev=bootif BOOTIF=01-52-54-00-12-34-56",
		  "52-54-00-12-34-56" },
		{ "ip=bootif:dhcp", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		words(t[i].ip);
		assert_string_equal(plan.ip[0].device, t[i].is);
	}
}

static void several_ip_are_several_interfaces(void **state)
{
	(void)state;
	words("ip=eth0:dhcp ip=192.0.2.5:::24::eth1:none rd.peerdns=0 "
	      "bootdev=eth1 rd.neednet=1");
	assert_int_equal(plan.n_ip, 2);
	assert_true(plan.bootdev && plan.no_peer_dns && !plan.implicit);
	assert_string_equal(describe(&plan.ip[1]),
			    "static client 192.0.2.5/24 dev eth1");
	/* a device that no ip= is about cannot be waited for */
	words("ip=eth0:dhcp bootdev=eth2 rd.peerdns=1");
	assert_false(plan.bootdev || plan.no_peer_dns);
	words("rd.peerdns=off");
	assert_true(plan.no_peer_dns);
	words("rd.peerdns=false");
	assert_true(plan.no_peer_dns);
	words("rd.peerdns=no");
	assert_true(plan.no_peer_dns);
}

static void without_ip_the_server_decides_what_is_tried(void **state)
{
	static const struct {
		const char *server;
		enum ip_method method;
		bool name;
	} t[] = {
		{ NULL, IP_DHCP, false },
		{ "192.0.2.1", IP_DHCP, false },
		{ "server", IP_DHCP, true },
		{ "2001:db8::1", IP_AUTO6, false },
		{ "fe80::1%eth0", IP_LINK6, false },
		{ "febf::1", IP_LINK6, false },
		{ "fec0::1", IP_AUTO6, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(
			boot_plan_parse(&plan, "quiet", t[i].server, &d), 0);
		assert_true(plan.implicit);
		assert_int_equal(plan.n_ip, 1);
		assert_int_equal(plan.ip[0].method, t[i].method);
		assert_int_equal(plan.name_server, t[i].name);
	}
	assert_int_equal(boot_plan_parse(&plan, "ip=off", "h", &d), 0);
	assert_int_equal(plan.ip[0].method, IP_OFF);
	assert_false(plan.implicit);
}

static void bonds_and_bridges_have_members(void **state)
{
	(void)state;
	words("bond=bond0:eth0,52-54-00-12-34-56:mode=802.3ad,lacp_rate=1:9000 "
	      "bond=b1:eth1 bond=b2:x:arp_interval=9 bridge=br0:eth4");
	assert_int_equal(plan.n_master, 4);
	assert_string_equal(plan.master[0].kind, "bond");
	assert_string_equal(plan.master[0].options,
			    "mode=802.3ad,lacp_rate=1,miimon=100");
	assert_int_equal(plan.master[0].mtu, 9000);
	assert_string_equal(plan.master[1].options,
			    "mode=balance-rr,miimon=100");
	assert_string_equal(plan.master[2].options, "arp_interval=9");
	assert_string_equal(plan.master[3].options, "");
	assert_string_equal(boot_plan_kind(&plan, "bond0"), "bond");
	assert_string_equal(boot_plan_kind(&plan, "br0"), "bridge");
	assert_string_equal(boot_plan_kind(&plan, "eth1"), "ether");
	/* without a value: as dracut has it */
	words("bond bridge");
	assert_int_equal(plan.n_master, 2);
	assert_string_equal(plan.master[0].name, "bond0");
	assert_string_equal(plan.master[0].members, "eth0,eth1");
	assert_string_equal(plan.master[1].name, "br0");
	assert_string_equal(plan.master[1].kind, "bridge");
	assert_string_equal(plan.master[1].members, "eth0");
	assert_int_equal(boot_plan_parse(&plan, "team=t0:eth0", NULL, &d),
			 NBD_E_USAGE);
	assert_non_null(strstr(d.text, "bond=NAME:"));
}

static void a_host_name_that_is_too_long_is_cut(void **state)
{
	(void)state;
	words("ip=::::hosthosthosthosthosthosthosthosthosthosthosthosthosthost"
	      "hosthosthosthost:eth0:dhcp");
	assert_true(plan.ip[0].cut);
	assert_int_equal(strlen(plan.ip[0].host), 64);
	words("ip=::::host.a-domain-that-is-so-long-that-the-name-of-the-host."
	      "and-it-do-not-fit.example.org:eth0:dhcp");
	assert_true(plan.ip[0].cut);
	assert_string_equal(plan.ip[0].host, "host");
	words("ip=::::host.example.org:eth0:dhcp");
	assert_false(plan.ip[0].cut);
	assert_string_equal(plan.ip[0].host, "host.example.org");
}

static void of_each_word_sixteen_are_taken(void **state)
{
	static const char *const t[] = { "ip=eth%d:dhcp ",
					 "nameserver=10.0.0.%d ",
					 "rd.route=10.%d.0.0/16:10.0.0.1 ",
					 "vlan=vlan%d:eth0 " };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		char line[1024] = "";
		int n = 1;

		while (n < 18) {
			size_t at = strlen(line);

			snprintf(line + at, sizeof(line) - at, t[i], n++);
			assert_int_equal(boot_plan_parse(&plan, line, NULL, &d),
					 n < 18 ? NBD_OK : NBD_E_USAGE);
		}
		assert_non_null(strstr(d.text, "only 16 of them are taken"));
	}
}

static void words_that_are_wrong_are_refused(void **state)
{
	static const char *const t[] = {
		"nameserver=x",
		"nameserver=",
		"rd.route=x",
		"rd.route=10.0.0.0/8:x",
		"rd.route=10.0.0.0/8:::",
		"rd.route=10.0.0.0/8:[2001:db8::1]",
		"rd.route=10.0.0.0/33:10.0.0.1",
		"rd.route=10.0.0.0/8:10.0.0.1:../x",
		"ifname=eth0",
		"ifname=eth0:",
		"ifname=:52:54:00:12:34:56",
		"ifname=a-name-of-16-chr:52:54:00:12:34:56",
		"ifname=eth0:52:54:00:12:34",
		"vlan=vlan5",
		"vlan=vlan:eth0",
		"vlan=vlan0:eth0",
		"vlan=vlan4095:eth0",
		"vlan=vlan5:a/b",
		"vlan=:eth0",
		"BOOTIF=x",
		"BOOTIF=20-52-54-00-12-34-56",
		"bootdev=a/b",
		"bond=bond0",
		"bond=bond0:",
		"bond=:eth0",
		"bond=bond0:eth0,,eth1",
		"bond=bond0:eth0,",
		"bond=bond0:a/b",
		"bond=a-name-of-16-chr:eth0",
		"bond=bond0:eth0::67",
		"bond=bond0:eth0::1500:x",
		"bridge=br0",
		"bridge=br0:eth0:x",
		"team=t0:eth0",
		"ip=x",
		"ip=eth0:dhcp ip=10.0.0.256",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		d.text[0] = '\0';
		if (boot_plan_parse(&plan, t[i], NULL, &d) != NBD_E_USAGE ||
		    !d.text[0])
			fail_msg("%s was taken", t[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_documented_form_is_understood),
		cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(no_cut_of_a_form_is_read_beyond_its_end),
		cmocka_unit_test(name_servers_and_routes_may_be_repeated),
		cmocka_unit_test(interfaces_get_names_and_vlans),
		cmocka_unit_test(bonds_and_bridges_have_members),
		cmocka_unit_test(the_device_that_is_not_named_is_the_loaders),
		cmocka_unit_test(several_ip_are_several_interfaces),
		cmocka_unit_test(without_ip_the_server_decides_what_is_tried),
		cmocka_unit_test(a_host_name_that_is_too_long_is_cut),
		cmocka_unit_test(of_each_word_sixteen_are_taken),
		cmocka_unit_test(words_that_are_wrong_are_refused),
	};

	return cmocka_run_group_tests_name("ip=", tests, NULL, NULL);
}
