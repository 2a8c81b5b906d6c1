/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the words come from that say what to boot. */
#include "boot/uefi/program.h"

#include <string.h>

#include "port/uefi/http.h"

#define ASK_S 15

static bool any(struct uefi_program *p, const char *source)
{
	if (!uefi_conf_any(p->text))
		return false;
	p->source = source;
	return true;
}

/* What is no text is the firmware's own data. */
static bool from_options(struct uefi_program *p)
{
	if (!efi.self->options ||
	    efi_narrow(p->text, sizeof(p->text), efi.self->options,
		       efi.self->options_len / sizeof(efi_char)) < 0)
		p->text[0] = '\0';
	return any(p, "LoadOptions");
}

static bool from_variable(struct uefi_program *p)
{
	size_t len = sizeof(p->text) - 1;

	if (efi.rt->get_variable(u"NbdBoot", &efi_guid_nbdboot, NULL, &len,
				 p->text) ||
	    len >= sizeof(p->text))
		len = 0;
	p->text[len] = '\0';
	return any(p, "the variable NbdBoot");
}

/* nbdboot.conf in the directory of the path `from`; false: too long. */
static bool beside(char *to, size_t cap, const char *from, const char *seps)
{
	size_t n = strlen(from);

	while (n && !strchr(seps, from[n - 1]))
		n--;
	return nbd_fmt(to, cap, "%.*snbdboot.conf", (int)n, from) >= 0;
}

static bool from_volume(struct uefi_program *p)
{
	const struct efi_path *path = efi.self->path;
	size_t n = path ? efi_path_len(path) : 0, len = sizeof(p->text) - 1;
	char own[256] = "", name[256];
	struct efi_file *f;
	uint64_t size;

	if (n > sizeof(*path) && path->type == EFI_PATH_MEDIA &&
	    path->subtype == EFI_PATH_FILE)
		efi_narrow(own, sizeof(own), (const efi_char *)(path + 1),
			   (n - sizeof(*path)) / sizeof(efi_char));
	if (!beside(name, sizeof(name), own, "\\/") ||
	    efi_file_open(&f, &size, efi.self->device, name))
		return false;
	if (size > len || f->read(f, &len, p->text))
		len = 0;
	f->close(f);
	p->text[len] = '\0';
	return any(p, "nbdboot.conf");
}

/* The packet of PXE that named this program: offset 108, 128 bytes. */
static bool pxe_name(char to[129], const struct efi_pxe_mode *m,
		     union efi_ip *server)
{
	const struct efi_pxe_packet *k = m->reply_received   ? &m->reply
					 : m->proxy_received ? &m->proxy
							     : &m->ack;

	memcpy(to, k->raw + 108, 128);
	to[128] = '\0';
	memset(server, 0, sizeof(*server));
	memcpy(server->v4, k->raw + 20, 4);
	return server->align[0];
}

static bool from_tftp(struct uefi_program *p)
{
	struct efi_pxe *pxe = uefi_net_pxe();
	uint64_t len = sizeof(p->text) - 1;
	char own[129], name[160];
	union efi_ip server;

	if (!pxe || !pxe_name(own, pxe->mode, &server) ||
	    !beside(name, sizeof(name), own, "/"))
		return false;
	if (pxe->tftp(pxe, EFI_PXE_READ_FILE, p->text, false, &len, NULL,
		      &server, name, NULL, false))
		len = 0;
	p->text[len] = '\0';
	return any(p, "nbdboot.conf by TFTP");
}

/* The interface of the path that has the firmware's HTTP, or NULL. */
static efi_handle http_of(const struct efi_path *path)
{
	efi_handle *list, found = NULL;
	size_t n = efi_handles(&efi_guid_http_binding, &list);

	for (size_t i = 0; i < n && !found; i++) {
		const struct efi_path *of = efi_path_of(list[i]);

		if (of && efi_path_begins(path, of))
			found = list[i];
	}
	efi_free(list);
	return found;
}

static bool from_http(struct uefi_program *p)
{
	const struct efi_path *path = efi_path_of(efi.self->device);
	size_t len = path ? efi_path_len(path) : 0, n;
	const uint8_t *node =
		uefi_path_node((const uint8_t *)path, len, UEFI_NODE_URI, &n);
	struct efi_http_from from;
	struct dhcp_lease l;
	char own[384], url[400];
	int got;

	if (!node || n - 4 >= sizeof(own) ||
	    !uefi_lease_path(&l, (const uint8_t *)path, len))
		return false;
	memcpy(own, node + 4, n - 4);
	own[n - 4] = '\0';
	from.nic = http_of(path);
	memcpy(from.addr, l.addr, 4);
	uefi_lease_mask(&l, from.mask);
	if (!beside(url, sizeof(url), own, "/"))
		return false;
	got = efi_http_get(&from, url, p->text, sizeof(p->text) - 1);
	p->text[got > 0 ? got : 0] = '\0';
	return any(p, "nbdboot.conf by HTTP");
}

void uefi_source(struct uefi_program *p)
{
	if (from_options(p) || from_variable(p) || from_volume(p) ||
	    from_tftp(p) || from_http(p))
		return;
	p->text[0] = '\0';
	p->source = "DHCP";
}

/* ---- the prompt ---- */

/* The next key; false: none in time. */
static bool wait_key(struct efi_key *k, uint64_t end)
{
	while (!efi_key(k)) {
		if (end && nbd_now_ms() >= end)
			return false;
		efi.bs->stall(10000);
	}
	return true;
}

static void edit(char *buf, size_t cap, size_t *n, efi_char c)
{
	if (c == '\b' && *n) {
		--*n;
		efi_print("\b \b");
	} else if (c >= ' ' && c < 0x7f && *n + 1 < cap) {
		buf[(*n)++] = (char)c;
		efi_print("%c", (char)c);
	}
}

bool uefi_source_ask(struct uefi_program *p)
{
	uint64_t end = nbd_now_ms() + ASK_S * 1000;
	char line[256];
	struct efi_key k;
	size_t n = 0;

	efi_print("nbdboot: boot from which URI? (nbd://HOST/EXPORT; no answer "
		  "for %d s: the next boot entry)\nnbdboot: ",
		  ASK_S);
	do {
		if (!wait_key(&k, end) || k.scan == EFI_SCAN_ESC)
			break;
		end = 0;
		edit(line, sizeof(line), &n, k.c);
	} while (k.c != '\r');
	efi_print("\n");
	line[n] = '\0';
	p->source = "the prompt";
	return n && k.c == '\r' &&
	       nbd_fmt(p->text, sizeof(p->text), "root=%s", line) > 0;
}
