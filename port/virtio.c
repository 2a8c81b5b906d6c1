/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtio-net.  Each buffer belongs to the descriptor of the same number, for
 * good; the device has it while `busy`:
 *
 *	driver --avail ring--> device --used ring--> driver
 */
#include "port/virtio.h"

#include <string.h>

/* Bits of VIRTIO_STATUS (2.1). */
#define ACKNOWLEDGE 1u
#define DRIVER	    2u
#define DRIVER_OK   4u
#define FEATURES_OK 8u
#define FAILED	    128u

/* Features in the low word (5.1.3). */
#define F_GUEST_CSUM (1u << 1)
#define F_MAC	     (1u << 5)
#define F_GUEST_TSO4 (1u << 7)
#define F_GUEST_TSO6 (1u << 8)
#define F_MRG_RXBUF  (1u << 15)
#define F_STATUS     (1u << 16)
/* In the high one. */
#define F_VERSION_1  (1u << 0)

/*
 * Segments of up to 64 KiB, as a server on the same host sends them, in several
 * buffers and without checksums: one such frame in place of forty.
 */
#define F_LONG (F_GUEST_CSUM | F_GUEST_TSO4 | F_GUEST_TSO6 | F_MRG_RXBUF)

/* The header before a frame (5.1.6): flags, and how many buffers it fills. */
#define HEADER_FLAGS	  0
#define HEADER_NEEDS_CSUM 1
#define HEADER_DATA_VALID 2
#define HEADER_BUFFERS	  10

/* Of a descriptor: the device writes to the buffer. */
#define DESC_WRITE	   2
/* Of a used ring: the device asks for no notifications (2.6.10). */
#define USED_NO_NOTIFY	   1
/* Of an available ring: no interrupts, which nobody takes (2.6.7). */
#define AVAIL_NO_INTERRUPT 1

/* A bit of VIRTIO_CONFIG_STATUS. */
#define LINK_UP 0x10000u

/*
 * Reads of a register while a device sends its last frames, or resets.  No clock
 * may run any more; each read lets the host of a virtual machine go on, which may
 * have much else to do.
 */
#define STOP_READS 1000000u

enum { RX, TX };

_Static_assert(VIRTIO_BUFFER <= NBD_ETHER_PIECE, "a buffer is a piece");

/* What was written before is seen before what is written from now on. */
static void barrier(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static uint32_t get(struct virtio_net *v, unsigned at)
{
	return v->get(v, at);
}

static void put(struct virtio_net *v, unsigned at, uint32_t value)
{
	v->put(v, at, value);
}

static void put_address(struct virtio_net *v, unsigned at, const void *p)
{
	put(v, at, (uint32_t)(uintptr_t)p);
	put(v, at + 1, (uint32_t)((uint64_t)(uintptr_t)p >> 32));
}

/*
 * A device of hardware may write to memory until its status is 0 (4.1.4.3.2).
 * False: that takes too long.
 */
static bool reset(struct virtio_net *v)
{
	unsigned n = STOP_READS;

	put(v, VIRTIO_STATUS, 0);
	v->broken = true;
	while (get(v, VIRTIO_STATUS))
		if (!--n)
			return false;
	return true;
}

/* Takes all the memory back from a device that cannot be trusted. */
static int give_up(struct virtio_net *v)
{
	reset(v);
	return NBD_E_IO;
}

/* A reset drops what the device has not sent yet. */
void virtio_net_stop(struct virtio_net *v)
{
	const volatile uint16_t *sent = &v->tx.used.idx;

	for (unsigned n = 0;
	     !v->broken && *sent != v->tx.next && n < STOP_READS; n++)
		get(v, VIRTIO_STATUS);
	reset(v);
}

/* ---- queues ---- */

static void lend(struct virtio_queue *q, uint16_t i)
{
	q->busy[i] = true;
	q->avail.ring[q->next++ % VIRTIO_BUFFERS] = i;
	barrier();
	*(volatile uint16_t *)&q->avail.idx = q->next;
	barrier();
}

/*
 * Tells the device of new buffers, if it waits for some: in a virtual machine
 * that costs more than a frame does.
 */
static void notify(struct virtio_net *v, const struct virtio_queue *q,
		   unsigned number)
{
	if (!(*(const volatile uint16_t *)&q->used.flags & USED_NO_NOTIFY))
		put(v, VIRTIO_QUEUE_NOTIFY, number);
}

/*
 * The buffer that the device returns next, and how many bytes it wrote to it.
 * NBD_E_AGAIN: none; NBD_E_IO: one that it does not have, or a length that
 * does not fit.  Each word that the device owns is read once.
 */
static int take_back(struct virtio_queue *q, uint32_t *len)
{
	uint16_t idx = *(volatile uint16_t *)&q->used.idx;
	uint32_t id;

	if (idx == q->seen)
		return NBD_E_AGAIN;
	barrier();
	id = *(volatile uint32_t *)&q->used.ring[q->seen % VIRTIO_BUFFERS].id;
	*len = *(volatile uint32_t *)&q->used.ring[q->seen % VIRTIO_BUFFERS].len;
	if (id >= VIRTIO_BUFFERS || !q->busy[id] || *len > VIRTIO_BUFFER)
		return NBD_E_IO;
	q->busy[id] = false;
	q->seen++;
	return (int)id;
}

static int set_up_queue(struct virtio_net *v, unsigned number,
			struct virtio_queue *q, uint16_t flags)
{
	put(v, VIRTIO_QUEUE_SEL, number);
	if (get(v, VIRTIO_QUEUE_READY) ||
	    get(v, VIRTIO_QUEUE_NUM_MAX) < VIRTIO_BUFFERS)
		return NBD_E_IO;
	for (unsigned i = 0; i < VIRTIO_BUFFERS; i++)
		q->desc[i] = (struct virtio_desc){
			.addr = (uintptr_t)q->buf[i],
			.len = VIRTIO_BUFFER,
			.flags = flags,
		};
	q->avail.flags = AVAIL_NO_INTERRUPT;
	put(v, VIRTIO_QUEUE_NUM, VIRTIO_BUFFERS);
	put_address(v, VIRTIO_QUEUE_DESC, q->desc);
	put_address(v, VIRTIO_QUEUE_DRIVER, &q->avail);
	put_address(v, VIRTIO_QUEUE_DEVICE, &q->used);
	barrier();
	put(v, VIRTIO_QUEUE_READY, 1);
	return 0;
}

/* ---- frames ---- */

static bool net_link(struct nbd_ether *e)
{
	struct virtio_net *v = (struct virtio_net *)e;

	if (v->broken || !v->has_status)
		return !v->broken;
	return get(v, VIRTIO_CONFIG_STATUS) & LINK_UP;
}

/*
 * Reads the header in front of a frame: how many buffers the frame fills.  False:
 * none.
 */
static bool begin(struct virtio_net *v, const unsigned char *header)
{
	v->left = 1;
	v->flags = 0;
	if (!v->is_long)
		return true;
	v->left = header[HEADER_BUFFERS] | (unsigned)header[HEADER_BUFFERS + 1]
						   << 8;
	if (header[HEADER_FLAGS] & (HEADER_NEEDS_CSUM | HEADER_DATA_VALID))
		v->flags = NBD_ETHER_VERIFIED;
	return v->left;
}

/* All buffers of a frame come at once. */
static int net_receive(struct nbd_ether *e, void *buf, size_t cap)
{
	struct virtio_net *v = (struct virtio_net *)e;
	unsigned skip = v->left ? 0 : VIRTIO_HEADER;
	uint32_t len = 0;
	int i = v->broken ? NBD_E_IO : take_back(&v->rx, &len);

	if (i == NBD_E_AGAIN && skip)
		return 0;
	if (i < 0 || len < skip || (skip && !begin(v, v->rx.buf[i])))
		return give_up(v);
	v->left--;
	len -= skip;
	if (len > cap)
		len = 0;
	memcpy(buf, v->rx.buf[i] + skip, len);
	lend(&v->rx, (uint16_t)i);
	notify(v, &v->rx, RX);
	return (int)len | v->flags | (v->left ? NBD_ETHER_MORE : 0);
}

/* The next buffer to send from, after taking back all that were sent. */
static int free_buffer(struct virtio_net *v)
{
	struct virtio_queue *q = &v->tx;
	uint32_t len;
	int i;

	do
		i = take_back(q, &len);
	while (i >= 0);
	if (i != NBD_E_AGAIN)
		return give_up(v);
	i = q->next % VIRTIO_BUFFERS;
	return q->busy[i] ? NBD_E_AGAIN : i;
}

static int net_send(struct nbd_ether *e, const struct nbd_iov iov[], unsigned n)
{
	struct virtio_net *v = (struct virtio_net *)e;
	int i = v->broken ? NBD_E_IO : free_buffer(v);
	uint32_t len = VIRTIO_HEADER;

	if (i < 0)
		return i;
	for (unsigned k = 0; k < n; k++) {
		if (iov[k].len > VIRTIO_BUFFER - len)
			return NBD_E_PARAM;
		memcpy(v->tx.buf[i] + len, iov[k].base, iov[k].len);
		len += (uint32_t)iov[k].len;
	}
	memset(v->tx.buf[i], 0, VIRTIO_HEADER);
	v->tx.desc[i].len = len;
	lend(&v->tx, (uint16_t)i);
	notify(v, &v->tx, TX);
	return 0;
}

/* ---- the device ---- */

/* 0 if it accepts the features that we need, and no others. */
static int agree(struct virtio_net *v)
{
	uint32_t low, high;

	put(v, VIRTIO_DEVICE_FEATURES_SEL, 0);
	low = get(v, VIRTIO_DEVICE_FEATURES) & (F_MAC | F_STATUS | F_LONG);
	v->is_long = (low & F_LONG) == F_LONG;
	if (!v->is_long)
		low &= ~F_LONG;
	put(v, VIRTIO_DEVICE_FEATURES_SEL, 1);
	high = get(v, VIRTIO_DEVICE_FEATURES) & F_VERSION_1;
	if (!(low & F_MAC) || !high)
		return NBD_E_IO;
	v->has_status = low & F_STATUS;
	put(v, VIRTIO_DRIVER_FEATURES_SEL, 0);
	put(v, VIRTIO_DRIVER_FEATURES, low);
	put(v, VIRTIO_DRIVER_FEATURES_SEL, 1);
	put(v, VIRTIO_DRIVER_FEATURES, high);
	put(v, VIRTIO_STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
	return get(v, VIRTIO_STATUS) & FEATURES_OK ? 0 : NBD_E_IO;
}

int virtio_net_start(struct virtio_net *v)
{
	int err;

	v->ether = (struct nbd_ether){ .mtu = 1500,
				       .send = net_send,
				       .receive = net_receive,
				       .link = net_link };
	if (!reset(v))
		return NBD_E_IO;
	v->broken = false;
	put(v, VIRTIO_STATUS, ACKNOWLEDGE);
	put(v, VIRTIO_STATUS, ACKNOWLEDGE | DRIVER);
	err = agree(v);
	if (!err)
		err = set_up_queue(v, RX, &v->rx, DESC_WRITE);
	if (!err)
		err = set_up_queue(v, TX, &v->tx, 0);
	if (err) {
		put(v, VIRTIO_STATUS, FAILED);
		v->broken = true;
		return err;
	}
	for (unsigned i = 0; i < 6; i++)
		v->ether.mac[i] =
			(unsigned char)(get(v, VIRTIO_CONFIG_MAC + i / 4) >>
					i % 4 * 8);
	put(v, VIRTIO_STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
	for (uint16_t i = 0; i < VIRTIO_BUFFERS; i++)
		lend(&v->rx, i);
	notify(v, &v->rx, RX);
	return 0;
}
