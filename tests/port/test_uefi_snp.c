/* SPDX-License-Identifier: BSD-2-Clause */
/* An interface of firmware that reports its link as edk2's does. */
#include "tests/unit.h"

/* As in a program with IPv6. */
#define CONFIG_PORT_LWIP_IPV6 1
#include "port/uefi/snp.c"

#include <stdlib.h>

static struct efi_network_mode mode;
static struct efi_snp snp;
static bool plugged;
static unsigned looked;

/* A ring of few places: frames leave at once, but hold theirs until asked for. */
#define RING 4
static void *ring[RING];
static unsigned held;

/* Lengths of frames that came, to 0. */
static const size_t *come;

const struct efi_guid efi_guid_network;

/* ---- the firmware ---- */

/* As in UEFI 2.10, 24.1.12: one of both has to be asked for. */
static efi_status get_status(struct efi_network *p, uint32_t *interrupts,
			     void **sent)
{
	(void)p;
	if (!interrupts && !sent)
		return EFI_INVALID_PARAMETER;
	looked++;
	if (interrupts)
		*interrupts = 0;
	if (sent)
		*sent = held ? ring[--held] : NULL;
	mode.media = plugged;
	return 0;
}

static efi_status transmit(struct efi_network *p, size_t header, size_t len,
			   void *frame, struct efi_mac *from,
			   struct efi_mac *to, uint16_t *protocol)
{
	(void)p, (void)header, (void)len, (void)from, (void)to, (void)protocol;
	if (held == RING)
		return EFI_NOT_READY;
	ring[held++] = frame;
	return 0;
}

/* As those of edk2's VirtioNetDxe and of U-Boot: it keeps what does not fit. */
static efi_status receive(struct efi_network *p, size_t *header, size_t *len,
			  void *frame, struct efi_mac *from, struct efi_mac *to,
			  uint16_t *protocol)
{
	size_t cap = *len;

	(void)p, (void)header, (void)from, (void)to, (void)protocol;
	if (!*come)
		return EFI_NOT_READY;
	*len = *come;
	if (cap < *come)
		return EFI_BUFFER_TOO_SMALL;
	memset(frame, 0, *come++);
	return 0;
}

/* The link of a cable comes seconds later. */
static efi_status initialize(struct efi_network *p, size_t rx, size_t tx)
{
	(void)p, (void)rx, (void)tx;
	mode.state = 2;
	mode.media = false;
	return 0;
}

static efi_status next_state(struct efi_network *p)
{
	(void)p;
	mode.state = 1;
	return 0;
}

static efi_status filters(struct efi_network *p, uint32_t on, uint32_t off,
			  efi_bool reset_multicast, size_t n,
			  struct efi_mac *multicast)
{
	(void)p, (void)reset_multicast, (void)n, (void)multicast;
	/* UEFI 2.10, 24.1.8 */
	if (on & ~mode.filter_mask)
		return EFI_INVALID_PARAMETER;
	mode.filter = (mode.filter & ~off) | on;
	return 0;
}

static struct efi_network network = { .start = next_state,
				      .stop = next_state,
				      .initialize = initialize,
				      .shutdown = next_state,
				      .filters = filters,
				      .get_status = get_status,
				      .transmit = transmit,
				      .receive = receive,
				      .mode = &mode };

static efi_status open_it(efi_handle h, const struct efi_guid *g, void **p,
			  efi_handle agent, efi_handle controller,
			  uint32_t attributes)
{
	(void)h, (void)g, (void)agent, (void)controller, (void)attributes;
	*p = &network;
	return 0;
}

static efi_status close_it(efi_handle h, const struct efi_guid *g,
			   efi_handle agent, efi_handle controller)
{
	(void)h, (void)g, (void)agent, (void)controller;
	return 0;
}

static efi_status connect_it(efi_handle h, efi_handle *drivers,
			     struct efi_path *path, efi_bool recursive)
{
	(void)h, (void)drivers, (void)path, (void)recursive;
	return 0;
}

static struct efi_boot services = { .open = open_it,
				    .close = close_it,
				    .connect = connect_it };
static efi_char vendor[] = { 'E', 'D', 'K', ' ', 'I', 'I', 0, 0, 0, 0, 0, 0, 0 };
static struct efi_system system_table = { .vendor = vendor };
struct efi_world efi = { .bs = &services, .st = &system_table };

void *efi_pages(size_t bytes)
{
	return malloc(bytes);
}

void efi_free_pages(void *p, size_t bytes)
{
	(void)bytes;
	free(p);
}

int efi_error(efi_status s)
{
	return s ? NBD_E_IO : 0;
}

const char *efi_text(efi_status s)
{
	(void)s;
	return "";
}

void efi_rest(struct efi_rest *r)
{
	(void)r;
}

int efi_virtio_open(struct efi_virtio *v, efi_handle nic)
{
	(void)v, (void)nic;
	return NBD_E_NO_DEVICE;
}

void virtio_net_stop(struct virtio_net *v)
{
	(void)v;
}

/* ---- tests ---- */

#define OWN (EFI_NETWORK_UNICAST | EFI_NETWORK_BROADCAST)

static int begin_with(uint32_t filter_mask)
{
	struct nbd_diag d;

	memset(&mode, 0, sizeof(mode));
	mode.has_media = true;
	mode.filter_mask = filter_mask;
	plugged = false;
	looked = held = 0;
	return efi_snp_open(&snp, &network, &d);
}

static int begin(void **state)
{
	(void)state;
	return begin_with(OWN | EFI_NETWORK_PROMISCUOUS |
			  EFI_NETWORK_ALL_MULTICAST);
}

static int end(void **state)
{
	(void)state;
	efi_snp_close(&snp);
	return 0;
}

static bool has_link(void)
{
	return snp.e.link(&snp.e);
}

/* While there is none, nothing is sent that would ask for the status. */
static void a_link_that_comes_later_is_seen(void **state)
{
	(void)state;
	assert_false(has_link());
	plugged = true;
	assert_true(has_link());
}

/* That costs time in each call. */
static void a_link_that_is_there_is_not_asked_for(void **state)
{
	(void)state;
	plugged = true;
	assert_true(has_link());
	looked = 0;
	assert_true(has_link());
	assert_int_equal(looked, 0);
}

static void an_interface_that_cannot_tell_has_one(void **state)
{
	(void)state;
	mode.has_media = false;
	assert_true(has_link());
	assert_int_equal(looked, 0);
}

/* Frames of groups are those of IPv6. */
static void an_interface_without_a_filter_for_groups_receives(void **state)
{
	(void)state;
	assert_int_equal(mode.filter, WANTED);
	end(NULL);
	assert_int_equal(begin_with(OWN), 0);
	assert_int_equal(mode.filter, OWN);
	end(NULL);
	assert_int_equal(begin_with(OWN | EFI_NETWORK_PROMISCUOUS), 0);
	assert_int_equal(mode.filter, OWN | EFI_NETWORK_PROMISCUOUS);
}

static void a_full_ring_takes_frames_again(void **state)
{
	unsigned char frame[60] = { 0 };
	const struct nbd_iov v = { frame, sizeof(frame) };
	unsigned sent = 0;

	(void)state;
	for (unsigned i = 0; i < 10 * RING; i++)
		sent += !snp.e.send(&snp.e, &v, 1);
	assert_in_range(sent, 5 * RING, 10 * RING);
}

/* A jumbo frame, on a network where others have them. */
static void what_follows_a_frame_that_is_too_long_is_received(void **state)
{
	static const size_t lengths[] = { 9014, 60, 0 };
	unsigned char buf[1536];
	int got = 0;

	(void)state;
	come = lengths;
	for (unsigned i = 0; i < 4 && !got; i++)
		got = snp.e.receive(&snp.e, buf, sizeof(buf));
	assert_int_equal(got, 60);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_link_that_comes_later_is_seen),
		TEST(a_link_that_is_there_is_not_asked_for),
		TEST(an_interface_that_cannot_tell_has_one),
		TEST(an_interface_without_a_filter_for_groups_receives),
		TEST(a_full_ring_takes_frames_again),
		TEST(what_follows_a_frame_that_is_too_long_is_received),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
