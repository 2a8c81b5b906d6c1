/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A driver for network devices of virtio 1.0 on the memory-mapped transport
 * (virtio specification 1.1, sections 2.6, 4.2, and 5.1), polled.  What the
 * device writes is checked before use: a device that breaks the protocol is
 * reset, and every later call returns NBD_E_IO.
 */
#ifndef PORT_METAL_VIRTIO_NET_H
#define PORT_METAL_VIRTIO_NET_H

#include "port/ether.h"
#include "port/port.h"

/* Buffers of a queue: a power of 2. */
#define VIRTIO_BUFFERS 64
/* Bytes of a buffer: the header that virtio puts before a frame, the frame. */
#define VIRTIO_HEADER  12
#define VIRTIO_BUFFER  1536

/* The three parts of a split virtqueue, as the device sees them. */
struct virtio_desc {
	uint64_t addr;
	uint32_t len;
	uint16_t flags, next;
};

struct virtio_avail {
	uint16_t flags, idx, ring[VIRTIO_BUFFERS];
};

struct virtio_used {
	uint16_t flags, idx;
	struct {
		uint32_t id, len;
	} ring[VIRTIO_BUFFERS];
};

struct virtio_queue {
	struct virtio_desc desc[VIRTIO_BUFFERS] __attribute__((aligned(16)));
	struct virtio_avail avail __attribute__((aligned(2)));
	struct virtio_used used __attribute__((aligned(4)));
	uint16_t seen;		   /* of used.idx */
	uint16_t next;		   /* of avail.idx */
	bool busy[VIRTIO_BUFFERS]; /* the device has this buffer */
	unsigned char buf[VIRTIO_BUFFERS][VIRTIO_BUFFER];
};

struct virtio_net {
	struct nbd_ether ether; /* the first: the callbacks cast */
	/* private */
	volatile uint32_t *regs;
	bool has_status, broken;
	struct virtio_queue rx, tx;
};

/* How many registers there are, in bytes. */
#define VIRTIO_MMIO_SIZE 0x200

/*
 * Sets up the device whose registers are at regs.  NBD_E_NO_DEVICE: it is no
 * network device.  NBD_E_IO: it is one, but cannot be used; d says why.
 */
int virtio_net_open(struct virtio_net *v, volatile uint32_t *regs,
		    struct nbd_diag *d);

#endif
