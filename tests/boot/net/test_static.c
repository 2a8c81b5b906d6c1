/* SPDX-License-Identifier: BSD-2-Clause */
/* ip= as a small build knows it. */
#include <arpa/inet.h>

#include "tests/unit.h"

/* Other builds have net.c in its place. */
#include "boot/net/static.c"

static struct net net;
static const struct ip_config *ip = &net.plan.ip[0];
static struct nbd_diag d;

static void same(const char *got, const char *want)
{
	assert_string_equal(got, want);
}

static int parse(const char *text)
{
	const struct cmdline c = { .ip = text };

	return net_configure(&net, &c, NULL, &d);
}

static const char *dotted(const struct nbd_ip *a)
{
	static char text[16];

	assert_int_equal(a->len, 4);
	return inet_ntop(AF_INET, a->ip, text, sizeof(text));
}

static void addresses_and_masks_in_every_form(void **state)
{
	static const struct {
		const char *text, *client;
		unsigned prefix;
	} t[] = {
		{ "10.1.2.3", "10.1.2.3", 8 },
		{ "172.16.0.9:::", "172.16.0.9", 16 },
		{ "192.168.1.2::", "192.168.1.2", 24 },
		{ "10.1.2.3/24", "10.1.2.3", 24 },
		{ "10.1.2.3/0", "10.1.2.3", 0 },
		{ "10.1.2.3/32", "10.1.2.3", 32 },
		{ "10.1.2.3/255.255.0.0", "10.1.2.3", 16 },
		{ "10.1.2.3:::255.255.255.0", "10.1.2.3", 24 },
		{ "10.1.2.3:::255.255.255.255", "10.1.2.3", 32 },
		{ "10.1.2.3:::0.0.0.0", "10.1.2.3", 0 },
		{ "10.1.2.3:::22", "10.1.2.3", 22 },
		/* an address with its prefix wins over the mask */
		{ "10.1.2.3/20:::255.0.0.0", "10.1.2.3", 20 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(parse(t[i].text), 0);
		assert_int_equal(ip->method, IP_STATIC);
		same(dotted(&ip->client), t[i].client);
		assert_int_equal(ip->client.prefix, t[i].prefix);
		assert_int_equal(ip->gateway.len, 0);
	}
}

static void all_ten_fields_of_the_kernels_form(void **state)
{
	(void)state;
	assert_int_equal(
		parse("10.0.2.15:10.0.2.2:10.0.2.1:255.255.255.0:guest:eth1:"
		      "off:10.0.2.3:10.0.2.4:10.0.2.5"),
		0);
	same(dotted(&ip->client), "10.0.2.15");
	same(dotted(&ip->gateway), "10.0.2.1");
	same(ip->host, "guest");
	same(ip->device, "eth1");
	same(dotted(&ip->dns[0]), "10.0.2.3");
	same(dotted(&ip->dns[1]), "10.0.2.4");
}

static void no_address_is_asked_for(void **state)
{
	static const struct {
		const char *text;
		bool up;
	} t[] = {
		{ NULL, true },	       { "off", false },
		{ "none", false },     { "", false },
		{ ":::::eth0", true }, { "::::guest:eth0:none", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(parse(t[i].text), 0);
		assert_int_equal(ip->method, t[i].up ? IP_LINK : IP_OFF);
		assert_int_equal(net_any_link(&net), t[i].up && !ip->device[0]);
	}
}

static void wrong_fields_are_named(void **state)
{
	static const struct {
		const char *text, *says;
	} t[] = {
		{ "dhcp", "dhcp is not in this program" },
		{ "on", "on is not in this program" },
		{ "auto6", "ip=ADDRESS/PREFIX::GATEWAY::HOST:DEVICE:none" },
		{ ":::::eth0:dhcp", "dhcp is not in this program" },
		{ "eth0:dhcp", "dhcp is not in this program" },
		{ "[2001:db8::1]/64", "IPv6" },
		{ "10.0.0.1::[fe80::1]", "IPv6" },
		{ "52-54-00-12-34-56:none", "MAC" },
		{ "eth0:none::52:54:00:12:34:56", "MAC" },
		{ "10.0.0.256", "client" },
		{ "10.0.0", "client" },
		{ "10.0.0.1.2:", "client" },
		{ "10.0.0.1/33", "client address is wrong: 10.0.0.1/33" },
		{ "10.0.0.1/", "client address is wrong: 10.0.0.1/" },
		{ "10.0.0.1:::255.0.255.0", "netmask" },
		{ "10.0.0.1::gw", "gateway" },
		{ "10.0.0.1::::::off:dns", "dns0" },
		{ "10.0.0.1::::::off::dns", "dns1" },
		{ "10.0.0.1:::::a-name-of-16-chr:", "device" },
		{ "10.0.0.1:::::../x:", "device" },
		{ "1.2.3.4:::::::::5.6.7.8:9", "ntp0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(parse(t[i].text), NBD_E_USAGE);
		assert_non_null(strstr(d.text, t[i].says));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_masks_in_every_form),
		cmocka_unit_test(all_ten_fields_of_the_kernels_form),
		cmocka_unit_test(no_address_is_asked_for),
		cmocka_unit_test(wrong_fields_are_named),
	};

	return cmocka_run_group_tests_name("static", tests, NULL, NULL);
}
