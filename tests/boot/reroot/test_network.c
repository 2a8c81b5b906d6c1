/* SPDX-License-Identifier: BSD-2-Clause */
/* The network of this machine as words, for this kernel and for another. */
#include "boot/reroot/reroot.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "boot/net/plan.h"
#include "tests/unit.h"

/* The machine. */
static struct link_ip address;
static struct link card;
static bool is_card;
static const char *routes, *resolv;

static struct nbd_diag d;
static struct reroot_words w;

int __wrap_link_refresh_addr(struct link_ip *a, struct nbd_diag *why);
int __wrap_link_refresh_addr(struct link_ip *a, struct nbd_diag *why)
{
	(void)why;
	assert_int_equal(a->a.family, address.a.family);
	assert_memory_equal(a->a.ip, address.a.ip, 16);
	*a = address;
	return 0;
}

int __wrap_link_refresh(struct link *l, struct nbd_diag *why);
int __wrap_link_refresh(struct link *l, struct nbd_diag *why)
{
	(void)why;
	assert_int_equal(l->index, address.index);
	*l = card;
	return 0;
}

int __wrap_file_read(int at, const char *name, char *buf, size_t cap);
int __wrap_file_read(int at, const char *name, char *buf, size_t cap)
{
	(void)at;
	if (!strcmp(name, "/proc/net/route"))
		return nbd_fmt(buf, cap, "%s", routes);
	if (!strcmp(name, "/etc/resolv.conf"))
		return nbd_fmt(buf, cap, "%s", resolv);
	return -1;
}

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	(void)mode;
	assert_string_equal(path, "/sys/class/net/ens2/device");
	return is_card ? 0 : -1;
}

static int begin(void **state)
{
	(void)state;
	address = (struct link_ip){ .index = 2, .global = true };
	card = (struct link){
		.index = 2,
		.mac = { 0x52, 0x54, 0, 0x12, 0x34, 0xab },
		.name = "ens2",
	};
	is_card = true;
	routes = "";
	resolv = "";
	return 0;
}

static void has(const char *ip, unsigned prefix, bool lasting)
{
	bool v6 = strchr(ip, ':');

	address.a.family = v6 ? AF_INET6 : AF_INET;
	address.a.prefix = prefix;
	address.lasting = lasting;
	memset(address.a.ip, 0, sizeof(address.a.ip));
	assert_int_equal(inet_pton(address.a.family, ip, address.a.ip), 1);
}

static int compose(bool anew)
{
	struct sockdiag_link l = { .family = (uint8_t)address.a.family };

	memcpy(l.local, address.a.ip, sizeof(l.local));
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
	assert_int_equal(net_plan_parse(&p, w.text, "192.0.2.1", &d), 0);
	assert_string_equal(p.ip[0].device, "ens2");

	assert_int_equal(compose(true), 0);
	assert_int_equal(reroot_words_end(&w, &d), 0);
	assert_string_equal(w.text, anew);
	assert_int_equal(net_plan_parse(&p, w.text, "192.0.2.1", &d), 0);
	assert_string_equal(p.ip[0].device, "52-54-00-12-34-ab");
}

static void an_address_with_an_end_is_of_dhcp(void **state)
{
	(void)state;
	has("192.0.2.9", 24, false);
	become("ip=ens2:dhcp ", "ip=dhcp BOOTIF=01-52-54-00-12-34-ab ");
}

static void a_lasting_one_is_fixed(void **state)
{
	(void)state;
	has("192.0.2.9", 20, true);
	/* as the CPU stores it: this test has 192.0.2.1 on either */
	routes = htons(1) == 1 ? "Iface\teth\nens2\t00000000\tC0000201\t0003\n"
			       : "Iface\teth\nens2\t00000000\t010200C0\t0003\n";
	resolv = "nameserver 127.0.0.53\nnameserver 192.0.2.3\n";
	become("ip=192.0.2.9::192.0.2.1:255.255.240.0::ens2:off "
	       "nameserver=192.0.2.3 ",
	       "ip=192.0.2.9::192.0.2.1:255.255.240.0:::off "
	       "BOOTIF=01-52-54-00-12-34-ab nameserver=192.0.2.3 ");
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

static void another_kernel_lacks_what_software_made(void **state)
{
	(void)state;
	has("192.0.2.9", 24, false);
	is_card = false;
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
		cmocka_unit_test_setup(ipv6_is_advertised_fixed_or_local,
				       begin),
		cmocka_unit_test_setup(another_kernel_lacks_what_software_made,
				       begin),
		cmocka_unit_test_setup(an_address_that_is_gone_is_an_error,
				       begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
