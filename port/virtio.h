/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A driver for network devices of virtio 1.0 (virtio specification 1.1, sections
 * 2.6 and 5.1), polled, over any transport.  What the device writes is checked
 * before use: a device that breaks the protocol is reset, and every later call
 * returns NBD_E_IO.
 */
#ifndef NBD_VIRTIO_H
#define NBD_VIRTIO_H

#include "port/ether.h"
#include "port/port.h"

/* Buffers of a queue: a power of 2. */
#define VIRTIO_BUFFERS 256
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

/*
 * Registers, by the names and places that the memory-mapped transport gives them
 * (4.2.2), in words of 32 bits; those of 64 bits take two.
 */
enum virtio_register {
	VIRTIO_DEVICE_FEATURES = 0x10 / 4,
	VIRTIO_DEVICE_FEATURES_SEL = 0x14 / 4,
	VIRTIO_DRIVER_FEATURES = 0x20 / 4,
	VIRTIO_DRIVER_FEATURES_SEL = 0x24 / 4,
	VIRTIO_QUEUE_SEL = 0x30 / 4,
	VIRTIO_QUEUE_NUM_MAX = 0x34 / 4,
	VIRTIO_QUEUE_NUM = 0x38 / 4,
	VIRTIO_QUEUE_READY = 0x44 / 4,
	VIRTIO_QUEUE_NOTIFY = 0x50 / 4,
	VIRTIO_STATUS = 0x70 / 4,
	VIRTIO_QUEUE_DESC = 0x80 / 4,
	VIRTIO_QUEUE_DRIVER = 0x90 / 4,
	VIRTIO_QUEUE_DEVICE = 0xa0 / 4,
	/* the device's: bytes 0 to 3 of the address; 4, 5, and the state */
	VIRTIO_CONFIG_MAC = 0x100 / 4,
	VIRTIO_CONFIG_STATUS = 0x104 / 4,
};

struct virtio_net {
	struct nbd_ether ether; /* the first: the callbacks cast */
	/* The transport sets these: a register is read, and written. */
	uint32_t (*get)(struct virtio_net *v, unsigned at);
	void (*put)(struct virtio_net *v, unsigned at, uint32_t value);
	/* private */
	bool has_status, broken;
	bool is_long;  /* frames of several buffers */
	unsigned left; /* buffers of a frame that was begun */
	int flags;     /* of that frame: NBD_ETHER_* */
	struct virtio_queue rx, tx;
};

/*
 * Sets up the device.  The caller has set get and put, and all else to zeros.
 * NBD_E_IO: it refuses the driver, or lacks what the driver needs.
 */
int virtio_net_start(struct virtio_net *v);
/*
 * Resets it, after it has sent what it was given, if it does so soon: it writes
 * to memory no more, and every later call returns NBD_E_IO.
 */
void virtio_net_stop(struct virtio_net *v);

#endif
