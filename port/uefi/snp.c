/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EFI_SIMPLE_NETWORK.  Frames to be sent are numbered; number n lies in buffer
 * n % EFI_SNP_FRAMES until the interface returns it.  Behind them there is one
 * more, for frames that are not wanted.
 */
#include "port/uefi/snp.h"

#include <string.h>

#define MEMORY ((EFI_SNP_FRAMES + 1) * EFI_SNP_FRAME)

/* Neighbours and routers of IPv6 speak to groups. */
#ifdef CONFIG_PORT_LWIP_IPV6
#define GROUPS EFI_NETWORK_ALL_MULTICAST
#else
#define GROUPS 0
#endif
#define WANTED (EFI_NETWORK_UNICAST | EFI_NETWORK_BROADCAST | GROUPS)

static unsigned char *frame(const struct efi_snp *s, unsigned number)
{
	return s->frames + number % EFI_SNP_FRAMES * EFI_SNP_FRAME;
}

/*
 * Takes back what was sent.  Frames leave in order, and U-Boot reports only the
 * latest, so the ones before it are free, too.
 */
static void reclaim(struct efi_snp *s)
{
	void *done;

	while (s->first != s->last) {
		unsigned n = s->first;

		done = NULL;
		if (s->p->get_status(s->p, NULL, &done) || !done)
			return;
		while (n != s->last && frame(s, n) != done)
			n++;
		if (n != s->last)
			s->first = n + 1;
	}
}

static int snp_send(struct nbd_ether *e, const struct nbd_iov v[], unsigned n)
{
	struct efi_snp *s = (struct efi_snp *)e;
	unsigned char *to = frame(s, s->last);
	size_t len = 0;
	efi_status status;

	if (s->last - s->first >= EFI_SNP_FRAMES / 2)
		reclaim(s);
	if (s->last - s->first == EFI_SNP_FRAMES)
		return NBD_E_AGAIN;
	for (; n; v++, n--) {
		if (v->len > EFI_SNP_FRAME - len)
			return NBD_E_PARAM;
		memcpy(to + len, v->base, v->len);
		len += v->len;
	}
	status = s->p->transmit(s->p, 0, len, to, NULL, NULL, NULL);
	if (status == EFI_NOT_READY || status == EFI_OUT_OF_RESOURCES) {
		/* it may hold fewer frames than we have */
		reclaim(s);
		return NBD_E_AGAIN;
	}
	if (!status)
		s->last++;
	return status ? NBD_E_IO : NBD_OK;
}

static efi_status take(struct efi_snp *s, void *buf, size_t *len)
{
	return s->p->receive(s->p, NULL, len, buf, NULL, NULL, NULL);
}

static int snp_receive(struct nbd_ether *e, void *buf, size_t cap)
{
	struct efi_snp *s = (struct efi_snp *)e;
	size_t len = cap;
	efi_status status = take(s, buf, &len);

	/* edk2's VirtioNetDxe and U-Boot keep a frame until it fits */
	if (status == EFI_BUFFER_TOO_SMALL) {
		len = EFI_SNP_FRAME;
		take(s, s->frames + MEMORY - EFI_SNP_FRAME, &len);
		return 0;
	}
	if (status == EFI_NOT_READY)
		return 0;
	efi_rest_over(&s->rest);
	return status || len > cap ? NBD_E_IO : (int)len;
}

/*
 * `media` is of the latest GetStatus(), which reclaim() calls while frames are
 * sent: without a link none are.
 */
static bool snp_link(struct nbd_ether *e)
{
	struct efi_network *p = ((struct efi_snp *)e)->p;
	const struct efi_network_mode *m = p->mode;
	uint32_t interrupts;

	if (m->has_media && !m->media)
		p->get_status(p, &interrupts, NULL);
	return !m->has_media || m->media;
}

/*
 * Frames come without an interrupt.  Stall() probably reads a port of the
 * machine again and again, which in a virtual machine stops the host's own work
 * on its devices, and so the frames.
 */
static void snp_wait(struct nbd_ether *e, unsigned ms)
{
	struct efi_snp *s = (struct efi_snp *)e;

	s->idle(s->ctx);
	if (ms >= EFI_REST_MS)
		efi_rest(&s->rest);
}

/* ---- a device of virtio ---- */

static int virtio_send(struct nbd_ether *e, const struct nbd_iov v[],
		       unsigned n)
{
	struct nbd_ether *own = &((struct efi_snp *)e)->virtio->net.ether;

	return own->send(own, v, n);
}

static int virtio_receive(struct nbd_ether *e, void *buf, size_t cap)
{
	struct efi_snp *s = (struct efi_snp *)e;
	struct nbd_ether *own = &s->virtio->net.ether;
	int len = own->receive(own, buf, cap);

	if (len)
		efi_rest_over(&s->rest);
	return len;
}

static bool virtio_link(struct nbd_ether *e)
{
	struct nbd_ether *own = &((struct efi_snp *)e)->virtio->net.ether;

	return own->link(own);
}

static void free_virtio(struct efi_snp *s)
{
	efi_free_pages(s->virtio, sizeof(*s->virtio));
	s->virtio = NULL;
}

/* Drives the device ourselves if we can; the interface stays stopped then. */
static bool take_virtio(struct efi_snp *s)
{
	if (!s->exclusive || s->p->mode->state)
		return false;
	s->virtio = efi_pages(sizeof(*s->virtio));
	if (!s->virtio)
		return false;
	if (efi_virtio_open(s->virtio, s->nic)) {
		free_virtio(s);
		return false;
	}
	s->e.window = 0;
	s->e.link = virtio_link;
	s->e.send = virtio_send;
	s->e.receive = virtio_receive;
	return true;
}

void efi_snp_exit(struct efi_snp *s)
{
	if (s->virtio)
		virtio_net_stop(&s->virtio->net);
}

/* ---- the interface ---- */

/* One that an interface does not have would leave all others off. */
static void set_filters(struct efi_network *snp)
{
	uint32_t has = snp->mode->filter_mask, on = WANTED;

	if (GROUPS & ~has)
		on |= EFI_NETWORK_PROMISCUOUS;
	snp->filters(snp, on & has, has & ~on, true, 0, NULL);
}

static efi_status start(struct efi_network *snp)
{
	efi_status status = 0;

	if (snp->mode->state == 0)
		status = snp->start(snp);
	if (!status && snp->mode->state == 1)
		status = snp->initialize(snp, 0, 0);
	/* U-Boot has no filters: it receives everything */
	if (!status)
		set_filters(snp);
	return status;
}

/*
 * U-Boot's driver of virtio-net has 32 buffers and never tells the device that
 * one is free again.  A device that has used them up receives nothing any more.
 */
static uint32_t window_of_firmware(void)
{
	static const efi_char name[] = u"Das U-Boot";

	/* ours compares byte by byte: it stops where a shorter name ends */
	return memcmp(efi.st->vendor, name, sizeof(name)) ? 0 : 24 * 1460;
}

int efi_snp_open(struct efi_snp *s, efi_handle nic, struct nbd_diag *d)
{
	void *p = NULL;
	efi_status status;

	s->nic = nic;
	s->virtio = NULL;
	s->rest = (struct efi_rest){ 0 };
	s->first = s->last = 0;
	s->frames = efi_pages(MEMORY);
	if (!s->frames)
		return nbd_diag(d, NBD_E_NO_MEMORY, "network: out of memory");
	status = efi.bs->open(nic, &efi_guid_network, &p, efi.image, nic,
			      EFI_BY_DRIVER | EFI_EXCLUSIVE);
	s->exclusive = !status;
	if (status)
		status = efi.bs->open(nic, &efi_guid_network, &p, efi.image,
				      nic, EFI_GET);
	s->p = p;
	s->e = (struct nbd_ether){
		.mtu = 1500,
		.window = window_of_firmware(),
		.link = snp_link,
		.send = snp_send,
		.receive = snp_receive,
		.wait = snp_wait,
	};
	if (!status && !take_virtio(s))
		status = start(s->p);
	if (status) {
		efi_snp_close(s);
		return nbd_diag(d, efi_error(status), "network interface: %s",
				efi_text(status));
	}
	memcpy(s->e.mac, s->p->mode->mac.a, sizeof(s->e.mac));
	return NBD_OK;
}

void efi_snp_close(struct efi_snp *s)
{
	efi_snp_exit(s);
	free_virtio(s);
	if (s->p) {
		reclaim(s);
		s->p->shutdown(s->p);
		s->p->stop(s->p);
	}
	if (s->exclusive) {
		efi.bs->close(s->nic, &efi_guid_network, efi.image, s->nic);
		efi.bs->connect(s->nic, NULL, NULL, true);
	}
	efi_free_pages(s->frames, MEMORY);
	s->p = NULL;
	s->frames = NULL;
	s->exclusive = false;
}
