/* SPDX-License-Identifier: BSD-2-Clause */
/* The files for the real system, in a directory in place of /run. */
#include "boot/net/handoff.h"
#include "boot/net/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/linux/file.h"
#include "tests/unit.h"

static char dir[] = "/tmp/test_handoff.XXXXXX";
static int run;
static struct nbd_diag d;
static char text[4096];

static const struct nbd_ip v4 = { 4, 22, { 192, 0, 2, 5 } };
static const struct nbd_ip v6 = { 16, 64, { 0x20, 1, 0xd, 0xb8, [15] = 5 } };
static const struct nbd_ip local = { 16, 128, { 0xfe, 0x80, [15] = 9 } };

static const struct net_state machine = {
	.up = true,
	.dhcp = true,
	.kind = "ether",
	.name = "eth0",
	.mac = { 0x52, 0x54, 0, 1, 2, 3 },
	.addr = { 4, 22, { 192, 0, 2, 5 } },
	.gateway = { 4, 32, { 192, 0, 2, 1 } },
	.dns = { { 4, 32, { 192, 0, 2, 3 } },
		 { 16, 128, { 0xfe, 0x80, [15] = 9 } } },
	.n_dns = 2,
	.host = "guest",
	.domain = "example.org",
	.root_path = "it's a root",
	.server = { 4, 32, { 192, 0, 2, 2 } },
};

static const struct dhcp lease = {
	.state = DHCP_BOUND,
	.bound = 5000000000,
	.lease = { .addr = { 4, 22, { 192, 0, 2, 5 } },
		   .server = { 4, 32, { 192, 0, 2, 4 } },
		   .seconds = 3600,
		   .t1 = 1800,
		   .t2 = 3150 },
};

static int make_run(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	run = open(dir, O_PATH | O_DIRECTORY);
	return run < 0 ? -1 : 0;
}

static int remove_run(void **state)
{
	char command[64];

	(void)state;
	close(run);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static void is(const char *path, const char *want)
{
	if (file_read(run, path, text, sizeof(text)) < 0)
		fail_msg("%s is not there", path);
	if (strcmp(text, want) != 0)
		fail_msg("%s:\n%s", path, text);
}

static void a_lease_is_written_for_everybody(void **state)
{
	static const char words[] =
		"DEVICE='eth0'\nPROTO='dhcp'\nDHCPSERVER='192.0.2.4'\n"
		"DHCPLEASETIME='3600'\nDHCPT1='1800'\nDHCPT2='3150'\n"
		"DHCPBOUND='5000000000'\n"
		"IPV4ADDR='192.0.2.5'\nIPV4BROADCAST='192.0.3.255'\n"
		"IPV4NETMASK='255.255.252.0'\nIPV4GATEWAY='192.0.2.1'\n"
		"IPV4DNS0='192.0.2.3'\nIPV4DNS1='0.0.0.0'\n"
		"MAC='52:54:00:01:02:03'\nHOSTNAME='guest'\n"
		"DNSDOMAIN='example.org'\nROOTSERVER='192.0.2.2'\n"
		"ROOTPATH='it'\\''s a root'\n";

	(void)state;
	assert_int_equal(net_handoff_write(run, &machine, &lease, true, &d), 0);
	is("net-eth0.conf", words);
	is("nbdboot/lease", words);
	is("systemd/network/10-nbdboot-eth0.link",
	   "[Match]\nType=ether\nMACAddress=52:54:00:01:02:03\n"
	   "[Link]\nName=eth0\n"
	   "AlternativeNamesPolicy=database onboard slot path\n");
	is("NetworkManager/conf.d/10-nbdboot-eth0.conf",
	   "[device-nbdboot-eth0]\nmatch-device=interface-name:=eth0,mac:52:54:00:01:02:03\n"
	   "managed=0\nallowed-connections="
	   "uuid:00000000-0000-0000-0000-000000000000\n");
	file_read(run, "systemd/network/10-nbdboot-eth0.network", text,
		  sizeof(text));
	assert_non_null(strstr(text, "\nKeepConfiguration=yes\n"
				     "IgnoreCarrierLoss=yes\n"
				     "DNS=192.0.2.3 fe80:"));
	assert_non_null(strstr(text, "%eth0\nDHCP=ipv4\n[DHCPv4]\n"
				     "ClientIdentifier=mac\n"));
}

static void files_that_exist_once_describe_the_machine(void **state)
{
	static const char online[] =
		"NetworkManager/system-connections/nbdboot.nmconnection";
	struct net_state several = machine;
	struct stat st;

	(void)state;
	assert_int_equal(net_handoff_machine(run, &machine, "eth0 v5", &d), 0);
	is("systemd/system/networking.service.d/nbdboot.conf",
	   "[Service]\nEnvironment=\"EXCLUDE_INTERFACES=eth0 v5\"\n");
	is("systemd/system/ifup@.service.d/nbdboot.conf",
	   "[Unit]\nConditionPathExists=!/run/systemd/network/"
	   "10-nbdboot-%I.link\n");
	file_read(run, "systemd/resolved.conf.d/nbdboot.conf", text,
		  sizeof(text));
	assert_non_null(strstr(text, "[Resolve]\nDomains=example.org\n"
				     "[Resolve]\nDNS=192.0.2.3 fe80:"));
	assert_non_null(strstr(text, "%eth0\n"));
	file_read(run, "NetworkManager/conf.d/nbdboot-dns.conf", text,
		  sizeof(text));
	assert_non_null(strstr(text, "[global-dns]\nsearches=example.org\n"
				     "[global-dns-domain-*]\n"
				     "servers=192.0.2.3,fe80:"));
	file_read(run, "nbdboot/resolv.conf", text, sizeof(text));
	assert_non_null(strstr(text, "search example.org\n"
				     "nameserver 192.0.2.3\n"
				     "nameserver fe80:"));
	file_read(run, online, text, sizeof(text));
	assert_non_null(strstr(text, "\ntype=dummy\n"));
	assert_int_equal(fstatat(run, online, &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	strcpy(several.domain, "a.org b.a.org");
	assert_int_equal(net_handoff_machine(run, &several, "eth0", &d), 0);
	file_read(run, "nbdboot/resolv.conf", text, sizeof(text));
	assert_non_null(strstr(text, "search a.org b.a.org\n"));
	file_read(run, "NetworkManager/conf.d/nbdboot-dns.conf", text,
		  sizeof(text));
	assert_non_null(strstr(text, "\nsearches=a.org,b.a.org\n"));
}

static void a_static_address_and_a_vlan_have_other_words(void **state)
{
	struct net_state s = { .fixed = true, .kind = "vlan", .name = "v5" };

	(void)state;
	s.addr = v6;
	s.gateway = local;
	assert_int_equal(net_handoff_write(run, &s, NULL, false, &d), 0);
	file_read(run, "net6-v5.conf", text, sizeof(text));
	assert_non_null(strstr(text, "DEVICE='v5'\nPROTO='none'\n"
				     "IPV6ADDR='2001:"));
	assert_non_null(strstr(text, "\nIPV6NETMASK='64'\n"));
	file_read(run, "systemd/network/10-nbdboot-v5.network", text,
		  sizeof(text));
	assert_non_null(strstr(text, "Type=vlan\n"));
	assert_non_null(strstr(text, "\n[Route]\nGateway=fe80:"));
	assert_null(strstr(text, "OnLink"));
	assert_null(strstr(text, "DHCP="));
	s.addr = v4;
	s.gateway.len = 0;
	assert_int_equal(net_handoff_write(run, &s, NULL, false, &d), 0);
	file_read(run, "systemd/network/10-nbdboot-v5.network", text,
		  sizeof(text));
	assert_non_null(strstr(text, "Address=192.0.2.5/22\n"));
	assert_null(strstr(text, "Gateway="));
	s.gateway = (struct nbd_ip){ .ip = { 198, 51, 100, 1 }, .len = 4 };
	assert_int_equal(net_handoff_write(run, &s, NULL, false, &d), 0);
	file_read(run, "systemd/network/10-nbdboot-v5.network", text,
		  sizeof(text));
	assert_non_null(strstr(text, "\n[Route]\nGateway=198.51.100.1\n"
				     "GatewayOnLink=yes\n"));
	/* the lease of the root is still the one of before */
	file_read(run, "nbdboot/lease", text, sizeof(text));
	assert_non_null(strstr(text, "DEVICE='eth0'"));
}

static void a_lease_can_be_read_back(void **state)
{
	struct net_kept kept;
	int fd;

	(void)state;
	assert_int_equal(net_kept_read(run, &kept, &d), 0);
	assert_string_equal(kept.name, "eth0");
	assert_false(net_lease6_begun(&kept.lease6));
	assert_int_equal(kept.dhcp.state, DHCP_BOUND);
	assert_memory_equal(kept.dhcp.lease.server.ip, lease.lease.server.ip,
			    4);
	assert_int_equal(kept.dhcp.lease.t1, lease.lease.t1);
	assert_int_equal(kept.dhcp.lease.t2, lease.lease.t2);
	assert_string_equal(kept.dhcp.lease.host, lease.lease.host);
	assert_int_equal(net_kept_bound(&kept), lease.bound);
	assert_int_equal(net_kept_seconds(&kept), 3600);
	assert_memory_equal(net_kept_addr(&kept).ip, v4.ip, 16);
	fd = openat(run, "nbdboot/lease.state", O_WRONLY);
	assert_int_equal(write(fd, "another", 7), 7);
	close(fd);
	assert_int_equal(net_kept_read(run, &kept, &d), NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "no lease that can be read"));
	assert_int_equal(unlinkat(run, "nbdboot/lease.state", 0), 0);
	assert_int_equal(net_kept_read(run, &kept, &d), NBD_E_NOT_FOUND);
	assert_non_null(strstr(d.text, "No such file"));
}

static void a_file_that_cannot_be_written_is_named(void **state)
{
	(void)state;
	assert_int_equal(net_handoff_name(NBD_E_NOT_FOUND, &machine, &d),
			 NBD_E_IO);
	assert_string_equal(d.text,
			    "write /run/systemd/network/10-nbdboot-eth0.link: "
			    "not found");
	assert_int_equal(unlinkat(run, "net-eth0.conf", 0), 0);
	assert_int_equal(mkdirat(run, "net-eth0.conf", 0755), 0);
	assert_int_equal(net_handoff_write(run, &machine, &lease, true, &d),
			 NBD_E_IO);
	assert_string_equal(d.text, "write /run/net-eth0.conf: Is a directory");
}

static void a_lease_of_dhcpv6_is_written_and_read(void **state)
{
	static const struct lease6 six = {
		.state = LEASE6_BOUND,
		.bound = 5000000000,
		.id = { .duid = { 10, { 0, 3, 0, 1 } }, .iaid = 7 },
		.lease = { .has = true,
			   .addr = { 16, 128, { 0x20, 1, 0xd, 0xb8, [15] = 5 } },
			   .preferred = 3600,
			   .valid = 7200,
			   .t1 = 1800,
			   .t2 = 2880 },
	};
	struct net_state s = machine;
	struct net_kept kept;

	(void)state;
	s.dhcp = false;
	s.addr = v6;
	s.index = 3;
	s.local = local;
	s.lease6 = &six;
	assert_int_equal(net_handoff_write(run, &s, NULL, true, &d), 0);
	file_read(run, "net6-eth0.conf", text, sizeof(text));
	assert_memory_equal(text,
			    "DEVICE='eth0'\nPROTO='dhcp6'\n"
			    "IPV6PROTO='dhcp6'\nDHCPLEASETIME='7200'\n"
			    "DHCPT1='1800'\nDHCPT2='2880'\n"
			    "DHCPBOUND='5000000000'\nIPV6ADDR=",
			    118);
	file_read(run, "systemd/network/10-nbdboot-eth0.network", text,
		  sizeof(text));
	assert_non_null(strstr(text, "\nAddress=2001:"));
	assert_non_null(strstr(text, "[IPv6AcceptRA]\nDHCPv6Client=no\n"));
	assert_null(strstr(text, "DHCP=ipv6"));
	assert_int_equal(net_kept_read(run, &kept, &d), 0);
	assert_string_equal(kept.name, "eth0");
	assert_int_equal(kept.index, 3);
	assert_memory_equal(kept.local.ip, local.ip, 16);
	assert_memory_equal(&kept.lease6, &six, sizeof(six));
	assert_int_equal(kept.dhcp.state, DHCP_SELECTING);
	assert_int_equal(net_kept_bound(&kept), six.bound);
	assert_int_equal(net_kept_seconds(&kept), 7200);
	assert_memory_equal(net_kept_addr(&kept).ip, v6.ip, 16);
}

/* Is the text, which replaces the file, a lease? */
static bool is_lease(const char *replacement, size_t len)
{
	struct net_kept kept;

	file_save(run, "nbdboot/lease.state", replacement, len);
	return !net_kept_read(run, &kept, &d);
}

static void a_lease_of_another_version_is_read(void **state)
{
	static const char file[] =
		"colour=blue\ndhcp=eth0\nbegun=5000000000\nseconds=3600\n"
		"t1=1800\nt2=3150\naddress=192.0.2.5\nserver=192.0.2.1\n";
	static const char *const needed[] = { "dhcp=",	"begun=", "seconds=",
					      "t1=",	"t2=",	  "address=",
					      "server=" };
	static const char *const wrong[] = {
		"dhcp=an_interface_with_a_long_name\n",
		"begun=18446744073709551616\n",
		"seconds=4294967296\n",
		"t1=x\n",
		"t2=1\n",
		"address=192.0.2.256\n",
		"server=\n",
	};
	char other[1100];

	(void)state;
	assert_true(is_lease(file, sizeof(file) - 1));
	/* the last line is cut */
	assert_false(is_lease(file, sizeof(file) - 2));
	assert_false(is_lease(file, 0));
	for (unsigned i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		const char *line = strstr(file, needed[i]);
		const char *next = strchr(line, '\n') + 1;
		int before = (int)(line - file), n;

		n = nbd_fmt(other, sizeof(other), "%.*s%s", before, file, next);
		assert_false(is_lease(other, (size_t)n));
		n = nbd_fmt(other, sizeof(other), "%.*s%s%s", before, file,
			    wrong[i], next);
		assert_false(is_lease(other, (size_t)n));
	}
	/* a longer file is cut */
	memset(other, 'x', sizeof(other));
	memcpy(other, file, sizeof(file) - 1);
	assert_true(is_lease(other, sizeof(other)));
}

static void a_lease_of_dhcpv6_needs_an_identity(void **state)
{
	static const char file[] =
		"dhcp6=eth0\nbegun=5\npreferred=1\nseconds=3600\nt1=1800\n"
		"t2=3150\naddress=2001:db8::5\nlocal=fe80::1\niaid=7\nduid=";

	(void)state;
	for (unsigned len = 0; len <= DUID6_MAX + 1; len++) {
		char hex[2 * DUID6_MAX + 3] = { 0 }, other[1024];
		int n;

		memset(hex, 'a', len * 2);
		n = nbd_fmt(other, sizeof(other), "%s%s\n", file, hex);
		assert_int_equal(is_lease(other, (size_t)n),
				 len && len <= DUID6_MAX);
		other[n - 2] = 'g';
		assert_false(is_lease(other, (size_t)n));
	}
}

static void a_lease_of_an_earlier_try_goes(void **state)
{
	static const struct lease6 six = {
		.state = LEASE6_BOUND,
		.id.duid.len = 10,
		.lease = { .has = true, .t1 = 1, .t2 = 2, .valid = 3 }
	};
	struct net_state s = machine;
	struct net_kept kept;

	(void)state;
	s.dhcp = false;
	s.lease6 = &six;
	assert_int_equal(net_handoff_write(run, &machine, &lease, true, &d), 0);
	assert_int_equal(net_handoff_write(run, &s, NULL, true, &d), 0);
	assert_int_equal(net_kept_read(run, &kept, &d), 0);
	assert_true(net_lease6_begun(&kept.lease6));
	assert_int_equal(net_handoff_write(run, &machine, &lease, true, &d), 0);
	assert_int_equal(net_kept_read(run, &kept, &d), 0);
	assert_false(net_lease6_begun(&kept.lease6));
	s.lease6 = NULL;
	assert_int_equal(net_handoff_write(run, &s, NULL, true, &d), 0);
	assert_int_equal(net_kept_read(run, &kept, &d), NBD_E_NOT_FOUND);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_is_written_for_everybody),
		cmocka_unit_test(files_that_exist_once_describe_the_machine),
		cmocka_unit_test(a_static_address_and_a_vlan_have_other_words),
		cmocka_unit_test(a_lease_can_be_read_back),
		cmocka_unit_test(a_lease_of_another_version_is_read),
		cmocka_unit_test(a_lease_of_dhcpv6_needs_an_identity),
		cmocka_unit_test(a_lease_of_an_earlier_try_goes),
		cmocka_unit_test(a_file_that_cannot_be_written_is_named),
		cmocka_unit_test(a_lease_of_dhcpv6_is_written_and_read),
	};

	return cmocka_run_group_tests_name("exported files", tests, make_run,
					   remove_run);
}
