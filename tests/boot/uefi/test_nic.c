/* SPDX-License-Identifier: BSD-2-Clause */
/* What an interface gives to the stack; the firmware and lwIP are played. */
#include "tests/unit.h"

#include <stdlib.h>

#include "boot/words/ip.h"
#include "port/ether.h"
#include "port/stack.h"

/* As in a program without IPv6. */
#define PORT_LWIP_LWIP_H
#define LWIP_IPV6 0
#define LWNET_DNS 2
struct lwnet_by_hand {
	struct nbd_ip ip, router, dns[LWNET_DNS];
};
struct lwnet_config {
	struct lwnet_by_hand ip4, ip6;
	unsigned char seed[16];
	const char *hostname;
};
struct lwnet {
	struct nbd_stack stack;
};
static struct lwnet_config given;
static int refused; /* the error of lwnet_open() */

static int lwnet_open(struct lwnet *net, struct nbd_ether *e,
		      const struct lwnet_config *c)
{
	(void)net, (void)e;
	given = *c;
	return refused;
}

static int lwnet_up(struct lwnet *net, unsigned ms, const volatile int *stop,
		    struct nbd_diag *d)
{
	(void)net, (void)ms, (void)stop, (void)d;
	return NBD_E_TIMEOUT;
}

static struct nbd_ip lwnet_ip6(const struct lwnet *net)
{
	(void)net;
	return (struct nbd_ip){ 0 };
}

static bool lwnet_ip6_taken(const struct lwnet *net)
{
	(void)net;
	return false;
}

static void lwnet_close(struct lwnet *net, unsigned ms)
{
	(void)net, (void)ms;
}

#define boot_ip_methods uefi_ip_methods
#include "boot/uefi/nic.c"

/* ---- the firmware ---- */

static struct efi_network_mode mode = { .mac_len = 6 };
static struct efi_network network = { .mode = &mode };
static struct efi_loaded_image self;
static bool vanished;
static unsigned opened;
static int blocks; /* of memory in use */

const struct efi_guid efi_guid_network = { .a = 1 }, efi_guid_pci = { .a = 2 },
		      efi_guid_pxe = { .a = 3 };
struct efi_world efi = { .self = &self };

void *efi_protocol(efi_handle h, const struct efi_guid *g)
{
	return h && g->a == efi_guid_network.a && !vanished ? &network : NULL;
}

size_t efi_handles(const struct efi_guid *g, efi_handle **list)
{
	(void)g;
	*list = NULL;
	return 0;
}

void efi_free(void *p)
{
	(void)p;
}

const struct efi_path *efi_path_of(efi_handle h)
{
	(void)h;
	return NULL;
}

size_t efi_path_len(const struct efi_path *p)
{
	(void)p;
	return 0;
}

bool efi_path_begins(const struct efi_path *path, const struct efi_path *with)
{
	(void)path, (void)with;
	return false;
}

void *efi_pages(size_t bytes)
{
	static struct lwnet lwip;

	assert_int_equal(bytes, sizeof(lwip));
	blocks++;
	return &lwip;
}

void efi_free_pages(void *p, size_t bytes)
{
	(void)bytes;
	blocks -= !!p;
}

void efi_random(void *to, size_t len)
{
	memset(to, 1, len);
}

int efi_snp_open(struct efi_snp *s, efi_handle nic, struct nbd_diag *d)
{
	(void)nic, (void)d;
	opened++;
	s->e.mtu = 1500;
	return 0;
}

void efi_snp_exit(struct efi_snp *s)
{
	(void)s;
}

void efi_snp_close(struct efi_snp *s)
{
	(void)s;
}

int efi_tcp4_open(struct efi_tcp4 *t, efi_handle nic, struct nbd_diag *d)
{
	(void)t, (void)nic, (void)d;
	return NBD_E_NO_DEVICE;
}

void efi_tcp4_close(struct efi_tcp4 *t)
{
	(void)t;
}

/* A server behind a port that passes nothing for so long. */
static unsigned passes_after;

int __wrap_uefi_dhcp(struct dhcp_lease *l, struct nbd_ether *e, uint32_t seed,
		     bool need_path, unsigned ms, struct nbd_diag *d);
int __wrap_uefi_dhcp(struct dhcp_lease *l, struct nbd_ether *e, uint32_t seed,
		     bool need_path, unsigned ms, struct nbd_diag *d)
{
	(void)e, (void)seed, (void)need_path, (void)d;
	if (ms <= passes_after)
		return NBD_E_TIMEOUT;
	l->addr = nbd_ip_of((const uint8_t[]){ 192, 0, 2, 9 }, 4);
	return 0;
}

/* ---- tests ---- */

static struct uefi_net net;
static struct nbd_diag d;

static int begin(void **state)
{
	(void)state;
	memset(&net, 0, sizeof(net));
	memset(&given, 0, sizeof(given));
	opened = 0;
	refused = blocks = 0;
	vanished = false;
	return 0;
}

static int up(const char *ip)
{
	return uefi_net_up(&net, &network, ip, &d);
}

static void assert_ip4(const struct nbd_ip *ip, const char *text)
{
	struct nbd_ip want;

	assert_true(nbd_ip_parse(&want, text));
	assert_true(nbd_ip_same(ip, &want));
}

/* The first may be the one that is switched off. */
static void each_name_server_is_given_to_the_stack(void **state)
{
	(void)state;
	assert_int_equal(up("192.0.2.2::192.0.2.1:24::eth0:off:192.0.2.3:"
			    "192.0.2.4"),
			 0);
	assert_ip4(&given.ip4.ip, "192.0.2.2");
	assert_ip4(&given.ip4.router, "192.0.2.1");
	assert_ip4(&given.ip4.dns[0], "192.0.2.3");
	assert_ip4(&given.ip4.dns[1], "192.0.2.4");
}

/* A program without IPv6 has no use for the first. */
static void a_name_server_behind_one_of_ipv6_is_given(void **state)
{
	(void)state;
	assert_int_equal(up("192.0.2.2::192.0.2.1:24::eth0:off:[2001:db8::53]:"
			    "192.0.2.4"),
			 0);
	assert_ip4(&given.ip4.dns[0], "192.0.2.4");
}

/* Such as that of an adapter on USB, while another interface was tried. */
static void an_interface_may_vanish(void **state)
{
	(void)state;
	vanished = true;
	assert_int_equal(up("192.0.2.2::192.0.2.1:24::eth0:off"),
			 NBD_E_NO_DEVICE);
	assert_int_equal(opened, 0);
}

/* 30 s of spanning tree, the time of the link, and the pause of DHCP. */
static void a_port_with_spanning_tree_gets_a_lease(void **state)
{
	(void)state;
	passes_after = 30000 + 4000 + 8000;
	assert_int_equal(up(NULL), 0);
	assert_ip4(&given.ip4.ip, "192.0.2.9");
}

/* Firmware may start the program again and again until a server is there. */
static void the_memory_of_the_stack_is_given_back(void **state)
{
	static const char ip[] = "192.0.2.2::192.0.2.1:24::eth0:off";

	(void)state;
	assert_int_equal(up(ip), 0);
	assert_int_equal(blocks, 1);
	uefi_net_down(&net);
	assert_int_equal(blocks, 0);
	refused = NBD_E_PARAM;
	assert_int_not_equal(up(ip), 0);
	assert_int_equal(blocks, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, begin)
	static const struct CMUnitTest tests[] = {
		T(each_name_server_is_given_to_the_stack),
		T(a_name_server_behind_one_of_ipv6_is_given),
		T(an_interface_may_vanish),
		T(a_port_with_spanning_tree_gets_a_lease),
		T(the_memory_of_the_stack_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
