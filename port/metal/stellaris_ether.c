/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The FIFOs of the Stellaris Ethernet controller hold, in words of 32 bits with
 * the first byte lowest:
 *
 *	received	length (2 bytes, all of this), frame, checksum (4)
 *	to send		length (2 bytes, of the payload), frame
 */
#include "port/metal/stellaris_ether.h"
#include "port/metal/mmio.h"

#include <string.h>

/* Registers, in words. */
enum {
	RIS = 0x00 / 4,
	RCTL = 0x08 / 4,
	TCTL = 0x0c / 4,
	DATA = 0x10 / 4,
	IA0 = 0x14 / 4,
	IA1 = 0x18 / 4,
	THR = 0x1c / 4,
	NP = 0x34 / 4,
	TR = 0x38 / 4,
};

/* RCTL: receive; drop frames with a wrong checksum; empty the FIFO. */
#define RXEN	    0x01u
#define BADCRC	    0x08u
#define RSTFIFO	    0x10u
/* TCTL: send; pad short frames; add the checksum; full duplex. */
#define TXEN	    0x01u
#define PADEN	    0x02u
#define CRC	    0x04u
#define DUPLEX	    0x10u
/* RIS: the receive FIFO overflowed. */
#define FOV	    0x08u
/* THR: begin to send when NEWTX is written, not before. */
#define WHOLE_FRAME 0x3fu
#define NEWTX	    1u
/* NP: frames in the receive FIFO. */
#define NP_COUNT    0x3fu

/* Bytes around a frame in the receive FIFO. */
#define LENGTH	  2u
#define CHECKSUM  4u
/* A FIFO has 2 KiB, and no frame is longer than 1518 bytes. */
#define FRAME_MIN 14u
#define FRAME_MAX 1514u

/* The data sheet: empty the FIFO while the receiver is off. */
static void empty(struct stellaris_ether *s)
{
	mmio_put(s->regs + RCTL, BADCRC | RSTFIFO);
	mmio_put(s->regs + RIS, FOV);
	mmio_put(s->regs + RCTL, RXEN | BADCRC);
}

static unsigned words(unsigned bytes)
{
	return (bytes + 3) / 4;
}

/* Reads a frame and its checksum; word has the first two bytes. */
static void read_frame(volatile uint32_t *fifo, uint32_t word,
		       unsigned char *to, unsigned len)
{
	unsigned at;

	for (at = LENGTH; at < LENGTH + len; at++) {
		if (at % 4 == 0)
			word = mmio_get(fifo);
		*to++ = (unsigned char)(word >> at % 4 * 8);
	}
	for (unsigned w = words(at); w < words(at + CHECKSUM); w++)
		mmio_get(fifo);
}

static void skip_frame(volatile uint32_t *fifo, unsigned len)
{
	for (unsigned w = 1; w < words(LENGTH + len + CHECKSUM); w++)
		mmio_get(fifo);
}

static int fifo_receive(struct nbd_ether *e, void *buf, size_t cap)
{
	struct stellaris_ether *s = (struct stellaris_ether *)e;
	unsigned len;
	uint32_t word;

	if (mmio_get(s->regs + RIS) & FOV)
		empty(s);
	for (unsigned n = mmio_get(s->regs + NP) & NP_COUNT; n; n--) {
		word = mmio_get(s->regs + DATA);
		len = word & 0xffff;
		/* without a length nobody knows where the next frame begins */
		if (len < LENGTH + FRAME_MIN + CHECKSUM ||
		    len > LENGTH + FRAME_MAX + CHECKSUM) {
			empty(s);
			return 0;
		}
		len -= LENGTH + CHECKSUM;
		if (len <= cap) {
			read_frame(s->regs + DATA, word, buf, len);
			return (int)len;
		}
		skip_frame(s->regs + DATA, len);
	}
	return 0;
}

/* Writes the bytes behind the first `at` of the FIFO; *word has its rest. */
static unsigned write_piece(volatile uint32_t *fifo, uint32_t *word,
			    unsigned at, const struct nbd_iov *v)
{
	const unsigned char *p = v->base;

	for (size_t k = 0; k < v->len; k++, at++) {
		*word |= (uint32_t)p[k] << at % 4 * 8;
		if (at % 4 < 3)
			continue;
		mmio_put(fifo, *word);
		*word = 0;
	}
	return at;
}

static int fifo_send(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	struct stellaris_ether *s = (struct stellaris_ether *)e;
	unsigned at = LENGTH;
	size_t len = 0;
	uint32_t word;

	for (unsigned i = 0; i < n && len <= FRAME_MAX; i++)
		len += v[i].len;
	if (len < FRAME_MIN || len > FRAME_MAX)
		return NBD_E_PARAM;
	if (mmio_get(s->regs + TR) & NEWTX)
		return NBD_E_AGAIN;
	word = (uint32_t)(len - FRAME_MIN);
	for (unsigned i = 0; i < n; i++)
		at = write_piece(s->regs + DATA, &word, at, &v[i]);
	if (at % 4)
		mmio_put(s->regs + DATA, word);
	mmio_put(s->regs + TR, NEWTX);
	return 0;
}

void stellaris_ether_open(struct stellaris_ether *s, volatile uint32_t *regs,
			  const unsigned char mac[6])
{
	s->regs = regs;
	s->ether = (struct nbd_ether){ .mtu = 1500,
				       .send = fifo_send,
				       .receive = fifo_receive };
	memcpy(s->ether.mac, mac, 6);
	mmio_put(regs + IA0, mac[0] | (uint32_t)mac[1] << 8 |
				     (uint32_t)mac[2] << 16 |
				     (uint32_t)mac[3] << 24);
	mmio_put(regs + IA1, mac[4] | (uint32_t)mac[5] << 8);
	mmio_put(regs + THR, WHOLE_FRAME);
	mmio_put(regs + TCTL, TXEN | PADEN | CRC | DUPLEX);
	empty(s);
}
