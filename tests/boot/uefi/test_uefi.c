/* SPDX-License-Identifier: BSD-2-Clause */
/* The interfaces in their order, and the question; all else is played. */
#include "tests/unit.h"

#include <stdlib.h>

/* As in a program without IPv6, whose network is played. */
#define PORT_LWIP_LWIP_H
#define LWIP_IPV6 0
#define BOOT_UEFI_NIC_H
#include "boot/words/lease.h"
#include "port/ether.h"
#include "port/stack.h"
#include "port/uefi/uefi.h"
struct uefi_net {
	bool root_path, ip4, polled;
	uint8_t mac[6];
	struct dhcp_lease lease;
	struct nbd_ip ip6;
	struct ip_config ip;
	const char *from, *via;
	struct {
		struct nbd_ether e;
	} snp;
};
int uefi_net_find(efi_handle **list, struct nbd_diag *d);
int uefi_net_up(struct uefi_net *n, efi_handle nic, const char *ip,
		struct nbd_diag *d);
void uefi_net_down(struct uefi_net *n);
#undef fail
#include "boot/uefi/uefi.c"
#include "tests/boot/uefi/printed.h"

struct efi_world efi;

/* What the interfaces give: a lease with that root-path, or no link (NULL). */
static const char *nics[2];
static unsigned asked, opened;
static int drive_error;

int uefi_net_find(efi_handle **list, struct nbd_diag *d)
{
	static efi_handle handles[2];

	(void)d;
	*list = handles;
	handles[0] = &nics[0];
	handles[1] = &nics[1];
	return 2;
}

int uefi_net_up(struct uefi_net *n, efi_handle nic, const char *ip,
		struct nbd_diag *d)
{
	const char *path = *(const char **)nic;

	(void)ip;
	memset(&n->lease, 0, sizeof(n->lease));
	if (!path)
		return nbd_diag(d, NBD_E_UNREACHABLE, "no link");
	n->lease.addr = (struct nbd_ip){ 4, 24, { 192, 0, 2, 2 } };
	nbd_fmt(n->lease.root_path, sizeof(n->lease.root_path), "%s", path);
	n->from = n->via = "";
	return 0;
}

void uefi_net_down(struct uefi_net *n)
{
	(void)n;
}

int uefi_drive_open(struct uefi_drive *drive, struct uefi_program *p,
		    struct nbd_diag *d)
{
	(void)drive, (void)p;
	opened++;
	return drive_error ? nbd_diag(d, drive_error, "no disk") : 0;
}

void uefi_drive_close(struct uefi_drive *drive)
{
	(void)drive;
}

int uefi_start(struct uefi_program *p, struct nbd_diag *d)
{
	(void)p, (void)d;
	return 0;
}

void uefi_source(struct uefi_program *p)
{
	p->source = "DHCP";
}

bool uefi_source_ask(struct uefi_program *p)
{
	(void)p;
	asked++;
	return false;
}

void uefi_machine(struct uefi_machine *m, struct root_env *env,
		  const struct uefi_net *n)
{
	(void)m, (void)env, (void)n;
}

void uefi_handover_forget(void)
{
}

const char *uefi_session_name(const struct uefi_session *s, char *buf,
			      size_t cap)
{
	(void)s, (void)cap;
	*buf = '\0';
	return buf;
}

efi_status efi_init(efi_handle image, struct efi_system *st)
{
	(void)image, (void)st;
	return 0;
}

void *efi_pages(size_t bytes)
{
	return malloc(bytes);
}

void efi_free_pages(void *p, size_t bytes)
{
	(void)bytes;
	free(p);
}

void efi_free(void *p)
{
	(void)p;
}

/* ---- tests ---- */

static int begin(void **state)
{
	(void)state;
	asked = opened = 0;
	drive_error = 0;
	return 0;
}

static void boots_from(const char *first, const char *second, bool works)
{
	nics[0] = first;
	nics[1] = second;
	assert_int_equal(!uefi_main(NULL, NULL), works);
}

static void the_second_interface_may_name_the_server(void **state)
{
	(void)state;
	boots_from("", "nbd://192.0.2.1/x", true);
	assert_int_equal(opened, 1);
	assert_int_equal(asked, 0);
}

static void without_a_server_a_uri_is_asked_for(void **state)
{
	(void)state;
	boots_from("", "", false);
	assert_int_equal(asked, 1);
	/* most machines have interfaces without a cable */
	boots_from("", NULL, false);
	assert_int_equal(asked, 2);
	assert_int_equal(opened, 0);
}

static void without_a_network_nothing_is_asked(void **state)
{
	(void)state;
	boots_from(NULL, NULL, false);
	assert_int_equal(asked, 0);
}

static void a_server_that_fails_is_named(void **state)
{
	(void)state;
	drive_error = NBD_E_REFUSED;
	boots_from("", "nbd://192.0.2.1/x", false);
	assert_int_equal(opened, 1);
	assert_int_equal(asked, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, begin)
	static const struct CMUnitTest tests[] = {
		T(the_second_interface_may_name_the_server),
		T(without_a_server_a_uri_is_asked_for),
		T(without_a_network_nothing_is_asked),
		T(a_server_that_fails_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
