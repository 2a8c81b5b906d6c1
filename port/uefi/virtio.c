/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of virtio on PCI.  They are reached by EFI_PCI_IO, which the
 * firmware's own driver has enabled, and which stays its own: it is idle while
 * its EFI_SIMPLE_NETWORK, of which we are the owner, is stopped.
 */
#include "port/uefi/virtio.h"

#include <string.h>

/* The first register of a device: its ID, and Red Hat's. */
#define ID_TRANSITIONAL 0x10001af4u
#define ID_MODERN	0x10411af4u

#define PCI_CAPABILITIES 0x34u
#define CAPABILITY_OWN	 0x09u
/* Capabilities lie behind 64 bytes, and are 4 bytes long at least. */
#define CAPABILITIES_MAX 48u

/* cfg_type (4.1.4) */
enum { COMMON = 1, NOTIFY, ISR, DEVICE };

/* Bytes of a register, as EFI_PCI_IO says it. */
enum { ONE, TWO, FOUR };

/* Registers of the common configuration (4.1.4.3). */
#define QUEUE_NOTIFY_OFF 0x1e
static const struct {
	uint8_t at, pci, width;
} common[] = {
	{ VIRTIO_DEVICE_FEATURES_SEL, 0x00, FOUR },
	{ VIRTIO_DEVICE_FEATURES, 0x04, FOUR },
	{ VIRTIO_DRIVER_FEATURES_SEL, 0x08, FOUR },
	{ VIRTIO_DRIVER_FEATURES, 0x0c, FOUR },
	{ VIRTIO_STATUS, 0x14, ONE },
	{ VIRTIO_QUEUE_SEL, 0x16, TWO },
	{ VIRTIO_QUEUE_NUM_MAX, 0x18, TWO },
	{ VIRTIO_QUEUE_NUM, 0x18, TWO },
	{ VIRTIO_QUEUE_READY, 0x1c, TWO },
	{ VIRTIO_QUEUE_DESC, 0x20, FOUR },
	{ VIRTIO_QUEUE_DESC + 1, 0x24, FOUR },
	{ VIRTIO_QUEUE_DRIVER, 0x28, FOUR },
	{ VIRTIO_QUEUE_DRIVER + 1, 0x2c, FOUR },
	{ VIRTIO_QUEUE_DEVICE, 0x30, FOUR },
	{ VIRTIO_QUEUE_DEVICE + 1, 0x34, FOUR },
};
#define N_COMMON (sizeof(common) / sizeof(common[0]))

static uint32_t read_area(const struct efi_virtio *v, unsigned type,
			  uint64_t at, unsigned width)
{
	const struct efi_virtio_area *a = &v->area[type];
	uint32_t value = 0;

	v->pci->mem_read(v->pci, width, (uint8_t)a->bar, a->at + at, 1, &value);
	return value;
}

static void write_area(const struct efi_virtio *v, unsigned type, uint64_t at,
		       unsigned width, uint32_t value)
{
	const struct efi_virtio_area *a = &v->area[type];

	v->pci->mem_write(v->pci, width, (uint8_t)a->bar, a->at + at, 1,
			  &value);
}

static uint32_t pci_get(struct virtio_net *net, unsigned at)
{
	const struct efi_virtio *v = (struct efi_virtio *)net;

	if (at >= VIRTIO_CONFIG_MAC)
		return read_area(v, DEVICE, (at - VIRTIO_CONFIG_MAC) * 4, FOUR);
	for (unsigned i = 0; i < N_COMMON; i++)
		if (common[i].at == at)
			return read_area(v, COMMON, common[i].pci,
					 common[i].width);
	return 0;
}

/* Each queue may have a place of its own to be notified at (4.1.4.4). */
static void notify_queue(const struct efi_virtio *v, uint32_t queue)
{
	uint64_t off = v->off[queue];

	write_area(v, NOTIFY, off * v->multiplier, TWO, queue);
}

static void pci_put(struct virtio_net *net, unsigned at, uint32_t value)
{
	struct efi_virtio *v = (struct efi_virtio *)net;

	if (at == VIRTIO_QUEUE_NOTIFY) {
		notify_queue(v, value);
		return;
	}
	for (unsigned i = 0; i < N_COMMON; i++)
		if (common[i].at == at)
			write_area(v, COMMON, common[i].pci, common[i].width,
				   value);
	if (at == VIRTIO_QUEUE_SEL)
		v->off[value] = read_area(v, COMMON, QUEUE_NOTIFY_OFF, TWO);
}

/* A capability of virtio (4.1.4), and what follows that of notifications. */
struct capability {
	uint8_t id, next, len, type, bar, pad[3];
	uint32_t at, size, multiplier;
};

/* Where the registers are; the first capability of a type is the one to use. */
static int find_areas(struct efi_virtio *v)
{
	struct capability c;
	uint8_t at = 0;

	v->pci->pci_read(v->pci, ONE, PCI_CAPABILITIES, 1, &at);
	for (unsigned n = 0; at && n < CAPABILITIES_MAX; n++, at = c.next) {
		memset(&c, 0, sizeof(c));
		v->pci->pci_read(v->pci, ONE, at, sizeof(c), &c);
		if (c.id != CAPABILITY_OWN || c.type > DEVICE ||
		    v->area[c.type].size)
			continue;
		v->area[c.type] =
			(struct efi_virtio_area){ c.bar, c.at, c.size };
		if (c.type == NOTIFY)
			v->multiplier = c.multiplier;
	}
	return v->area[COMMON].size && v->area[NOTIFY].size &&
			       v->area[DEVICE].size
		       ? NBD_OK
		       : NBD_E_NO_DEVICE;
}

int efi_virtio_open(struct efi_virtio *v, efi_handle nic)
{
	const struct efi_path *path = efi_path_of(nic);
	efi_handle device = NULL;
	uint32_t id = 0;

	memset(v, 0, sizeof(*v));
	v->net.get = pci_get;
	v->net.put = pci_put;
	if (path && !efi.bs->locate_path(&efi_guid_pci, &path, &device))
		v->pci = efi_protocol(device, &efi_guid_pci);
	if (!v->pci)
		return NBD_E_NO_DEVICE;
	v->pci->pci_read(v->pci, FOUR, 0, 1, &id);
	if ((id != ID_TRANSITIONAL && id != ID_MODERN) || find_areas(v))
		return NBD_E_NO_DEVICE;
	return virtio_net_start(&v->net);
}
