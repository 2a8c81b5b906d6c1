/* SPDX-License-Identifier: BSD-2-Clause */
/* virtio-net on PCI behind firmware, with a device whose capabilities may lie. */
#include "tests/unit.h"

#include "port/uefi/virtio.c"
#include "port/virtio.c"

#define BAR	   0x4000u
#define BARS	   6u
#define COMMON_AT  0x100u
#define DEVICE_AT  0x200u
#define NOTIFY_AT  0x1000u
#define MULTIPLIER 4u

/* Capabilities of type COMMON: the one to use, and another. */
#define FIRST  0xb0
#define SECOND 0xd0

/* The common configuration, which `common` has the places of. */
#define FEATURES 0x04
#define NUM_MAX	 0x18
#define READY	 0x1c

static struct device {
	uint8_t space[256];	/* of PCI's configuration */
	uint8_t bar[BARS][BAR]; /* registers */
	unsigned reads;		/* of the space */
	unsigned refused;	/* by the firmware */
	unsigned touched;	/* registers */
	bool missing;
} dev;
/* What a type of capability that has no place would be written to. */
static struct {
	struct efi_virtio v;
	struct efi_virtio_area behind[256];
} own;

/* ---- the firmware ---- */

static efi_status space_read(struct efi_pci *pci, unsigned width, uint32_t at,
			     size_t n, void *to)
{
	size_t len = n << width;

	(void)pci;
	assert_in_range(++dev.reads, 1, 1000);
	if (at > sizeof(dev.space) || len > sizeof(dev.space) - at) {
		dev.refused++;
		return EFI_INVALID_PARAMETER;
	}
	memcpy(to, dev.space + at, len);
	return 0;
}

/* Where a register is, or NULL: the firmware refuses it. */
static uint8_t *reg(unsigned width, uint8_t bar, uint64_t at, size_t n)
{
	size_t len = n << width;

	if (bar < BARS && at <= BAR && len <= BAR - at) {
		dev.touched++;
		return dev.bar[bar] + at;
	}
	dev.refused++;
	return NULL;
}

static efi_status reg_read(struct efi_pci *pci, unsigned width, uint8_t bar,
			   uint64_t at, size_t n, void *to)
{
	const uint8_t *p = reg(width, bar, at, n);

	(void)pci;
	if (!p)
		return EFI_INVALID_PARAMETER;
	memcpy(to, p, n << width);
	return 0;
}

static efi_status reg_write(struct efi_pci *pci, unsigned width, uint8_t bar,
			    uint64_t at, size_t n, void *from)
{
	uint8_t *p = reg(width, bar, at, n);

	(void)pci;
	if (!p)
		return EFI_INVALID_PARAMETER;
	memcpy(p, from, n << width);
	/* each queue begins as one that is not ready */
	if (at == COMMON_AT + 0x16)
		memset(dev.bar[bar] + COMMON_AT + READY, 0, 2);
	return 0;
}

static struct efi_pci pci = { .mem_read = reg_read,
			      .mem_write = reg_write,
			      .pci_read = space_read };
static const struct efi_path path;

const struct efi_guid efi_guid_pci;

const struct efi_path *efi_path_of(efi_handle h)
{
	(void)h;
	return &path;
}

void *efi_protocol(efi_handle h, const struct efi_guid *g)
{
	assert_ptr_equal(h, &dev);
	assert_ptr_equal(g, &efi_guid_pci);
	return &pci;
}

static efi_status locate_path(const struct efi_guid *g,
			      const struct efi_path **p, efi_handle *h)
{
	(void)g, (void)p;
	*h = &dev;
	return dev.missing ? EFI_NOT_FOUND : 0;
}

static struct efi_boot services = { .locate_path = locate_path };
struct efi_world efi = { .bs = &services };

/* ---- the device ---- */

static void put_le32(uint8_t *p, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* A capability at `at`, and the next one. */
static void put_capability(uint8_t at, uint8_t next, uint8_t type, uint8_t bar,
			   uint32_t where)
{
	uint8_t *p = dev.space + at;

	p[0] = CAPABILITY_OWN;
	p[1] = next;
	p[2] = 20;
	p[3] = type;
	p[4] = bar;
	put_le32(p + 8, where);
	put_le32(p + 12, 0x100);
	put_le32(p + 16, type == NOTIFY ? MULTIPLIER : 0);
}

/* The registers in bar 4; a capability of MSI-X and one of ISR are among them. */
static int setup(void **state)
{
	uint8_t *registers;

	(void)state;
	memset(&dev, 0, sizeof(dev));
	memset(&own, 0, sizeof(own));
	put_le32(dev.space, ID_MODERN);
	dev.space[PCI_CAPABILITIES] = 0x98;
	dev.space[0x98] = 0x11;
	dev.space[0x99] = 0x70;
	put_capability(0x70, 0x5c, NOTIFY, 4, NOTIFY_AT);
	put_capability(0x5c, 0x84, DEVICE, 4, DEVICE_AT);
	put_capability(0x84, 0x48, 0xff, 1, 0);
	put_capability(0x48, FIRST, ISR, 4, 0);
	put_capability(FIRST, SECOND, COMMON, 4, COMMON_AT);
	/* a second one of a type is for drivers that cannot use the first */
	put_capability(SECOND, 0, COMMON, 1, 0);
	registers = dev.bar[4] + COMMON_AT;
	put_le32(registers + FEATURES, ~0u);
	put_le32(registers + NUM_MAX, VIRTIO_BUFFERS);
	put_le32(registers + QUEUE_NOTIFY_OFF, 3);
	memcpy(dev.bar[4] + DEVICE_AT, "\x52\x54\0\x12\x34\x56\1", 7);
	return 0;
}

static int open_device(void)
{
	return efi_virtio_open(&own.v, &dev);
}

static void a_device_is_found_and_set_up(void **state)
{
	static const unsigned char mac[6] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };
	const uint8_t *registers = dev.bar[4] + COMMON_AT;
	uint64_t at;

	(void)state;
	assert_int_equal(open_device(), 0);
	assert_memory_equal(own.v.net.ether.mac, mac, 6);
	assert_true(own.v.net.ether.link(&own.v.net.ether));
	assert_int_equal(registers[0x14],
			 ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
	memcpy(&at, registers + 0x20, 8);
	assert_int_equal(at, (uintptr_t)own.v.net.tx.desc);
	memcpy(&at, registers + 0x28, 8);
	assert_int_equal(at, (uintptr_t)&own.v.net.tx.avail);
	memcpy(&at, registers + 0x30, 8);
	assert_int_equal(at, (uintptr_t)&own.v.net.tx.used);
	assert_int_equal(dev.refused, 0);
}

/* queue_notify_off * notify_off_multiplier bytes behind the area's start. */
static void a_queue_is_notified_at_its_own_place(void **state)
{
	static char bytes[60];
	struct nbd_iov frame = { bytes, sizeof(bytes) };
	uint8_t *place = dev.bar[4] + NOTIFY_AT + 3 * MULTIPLIER;

	(void)state;
	assert_int_equal(open_device(), 0);
	memset(place, 0xff, 2);
	assert_int_equal(own.v.net.ether.send(&own.v.net.ether, &frame, 1), 0);
	assert_memory_equal(place, "\1\0", 2);
}

static void another_device_is_left_alone(void **state)
{
	(void)state;
	put_le32(dev.space, 0x100e8086);
	assert_int_equal(open_device(), NBD_E_NO_DEVICE);
	setup(NULL);
	dev.missing = true;
	assert_int_equal(open_device(), NBD_E_NO_DEVICE);
	setup(NULL);
	put_le32(dev.space, ID_TRANSITIONAL);
	assert_int_equal(open_device(), 0);
}

static void what_is_no_area_of_ours_is_left_alone(void **state)
{
	static const struct efi_virtio_area none[256];

	(void)state;
	assert_int_equal(open_device(), 0);
	assert_memory_equal(own.behind, none, sizeof(none));
}

/* Of a transitional device that has no virtio 1.0, too. */
static void an_area_that_is_missing_is_noticed(void **state)
{
	static const uint8_t places[] = { 0x70, 0x5c, FIRST };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		setup(NULL);
		dev.space[SECOND] = 0;
		dev.space[places[i]] = 0x05;
		assert_int_equal(open_device(), NBD_E_NO_DEVICE);
		setup(NULL);
		dev.space[SECOND] = 0;
		put_le32(dev.space + places[i] + 12, 0);
		assert_int_equal(open_device(), NBD_E_NO_DEVICE);
	}
}

static void a_list_that_does_not_end_is_left(void **state)
{
	(void)state;
	dev.space[0x99] = 0x98;
	assert_int_equal(open_device(), NBD_E_NO_DEVICE);
	assert_in_range(dev.reads, 1, CAPABILITIES_MAX + 2);
}

/* What the firmware refuses reads as zeros. */
static void areas_outside_the_device_are_refused(void **state)
{
	(void)state;
	dev.space[FIRST + 4] = 6; /* there are six BARs */
	assert_int_equal(open_device(), NBD_E_IO);
	assert_true(dev.refused);
	setup(NULL);
	put_le32(dev.space + FIRST + 8, 0xfffffff0);
	assert_int_equal(open_device(), NBD_E_IO);
	assert_int_equal(dev.touched, 0);
	setup(NULL);
	/* 4 GiB and 4 bytes from its start: byte 4 of it, in 32 bits */
	put_le32(dev.space + 0x70 + 16, 0x40000001);
	put_le32(dev.bar[4] + COMMON_AT + QUEUE_NOTIFY_OFF, 4);
	assert_int_equal(open_device(), 0);
	assert_int_equal(dev.refused, 1);
	setup(NULL);
	/* a capability that ends beyond the space */
	dev.space[0x99] = 0xfc;
	dev.space[0xfc] = CAPABILITY_OWN;
	assert_int_equal(open_device(), NBD_E_NO_DEVICE);
	assert_int_equal(dev.refused, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_device_is_found_and_set_up, setup),
		cmocka_unit_test_setup(a_queue_is_notified_at_its_own_place,
				       setup),
		cmocka_unit_test_setup(another_device_is_left_alone, setup),
		cmocka_unit_test_setup(what_is_no_area_of_ours_is_left_alone,
				       setup),
		cmocka_unit_test_setup(an_area_that_is_missing_is_noticed,
				       setup),
		cmocka_unit_test_setup(a_list_that_does_not_end_is_left, setup),
		cmocka_unit_test_setup(areas_outside_the_device_are_refused,
				       setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
