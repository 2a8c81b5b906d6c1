/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the words come from that say what to boot. */
#include "boot/uefi/program.h"

#include <string.h>

#include "boot/uefi/where.h"
#include "boot/uefi/encoding.h"
#include "port/le.h"
#include "port/lwip/lwip.h"
#include "port/uefi/http.h"

#define ASK_S 15

/* A path or an answer without what is needed to ask for a file. */
static const char *const nowhere = LWIP_IPV6 ? "no address or no name"
					     : "no IPv4 address or no name";

static bool ignored(struct uefi_program *p, const char *source, const char *why)
{
	efi_print("nbdboot: %s: ignored: %s\n", source, why);
	p->text[0] = '\0';
	return false;
}

/* Takes len bytes at p->raw; false: there are no words, and a line says why. */
static bool take(struct uefi_program *p, const char *source, size_t len,
		 bool ansi)
{
	bool more;
	int rc =
		uefi_decode(p->text, sizeof(p->text), p->raw, len, ansi, &more);

	if (rc < 0)
		return ignored(p, source,
			       rc == NBD_E_NO_MEMORY ? "too long" : "not text");
	if (!boot_conf_any(p->text))
		return ignored(p, source, "no words");
	if (more)
		efi_print("nbdboot: %s: what follows a NUL is ignored\n",
			  source);
	p->source = source;
	return true;
}

/* The same of a file, which could not be read if err is an error. */
static bool take_file(struct uefi_program *p, const char *name, int err,
		      size_t len)
{
	if (err == NBD_E_NOT_FOUND)
		return false;
	nbd_fmt(p->name, sizeof(p->name), "%s", name);
	return err ? ignored(p, p->name, nbd_err_text(err))
		   : take(p, p->name, len, true);
}

/* What the firmware of Insyde, and of AMI, has in its own boot entries. */
static bool is_mark(const void *p, size_t len)
{
	return (len == 2 && !memcmp(p, "RC", 2)) ||
	       (len == 4 && !memcmp(p, "AMBO", 4));
}

/*
 * Some of Dell's firmware passes its whole boot entry (UEFI 2.10, 3.1.3):
 * attributes, length of the path, a description, the path; then the options.
 */
static const uint8_t *behind_entry(const uint8_t *p, size_t *len)
{
	static const uint8_t end[] = { EFI_PATH_END, 0xff, 4, 0 };
	size_t at = 6, n = *len < at ? 0 : le16(p + 4);

	while (at + 2 <= *len && le16(p + at))
		at += 2;
	at += 2 + n;
	if (n < sizeof(end) || at > *len ||
	    memcmp(p + at - sizeof(end), end, sizeof(end)))
		return p;
	*len -= at;
	return p + at;
}

static bool from_options(struct uefi_program *p)
{
	size_t len = efi.self->options ? efi.self->options_len : 0;
	const uint8_t *options = behind_entry(efi.self->options, &len);

	if (!len || is_mark(options, len))
		return false;
	if (len > sizeof(p->raw))
		return ignored(p, "LoadOptions", "too long");
	memcpy(p->raw, options, len);
	return take(p, "LoadOptions", len, false);
}

static bool from_variable(struct uefi_program *p)
{
	size_t len = sizeof(p->raw);
	efi_status s = efi.rt->get_variable(u"NbdBoot", &efi_guid_nbdboot, NULL,
					    &len, p->raw);

	if (s == EFI_NOT_FOUND)
		return false;
	if (s)
		return ignored(p, "the variable NbdBoot", efi_text(s));
	return take(p, "the variable NbdBoot", len, true);
}

static bool from_volume(struct uefi_program *p)
{
	const struct efi_path *path = efi.self->path;
	size_t len = sizeof(p->raw);
	struct efi_file *f;
	char name[256];
	uint64_t size;
	int rc;

	if (!efi_protocol(efi.self->device, &efi_guid_volume))
		return false;
	if (!uefi_beside_path(name, sizeof(name), (const uint8_t *)path,
			      path ? efi_path_len(path) : 0))
		return ignored(p, "nbdboot.conf",
			       "the path of this program is too long");
	rc = efi_file_open(&f, &size, efi.self->device, name);
	if (!rc) {
		rc = size > len ? NBD_E_NO_MEMORY
				: efi_error(f->read(f, &len, p->raw));
		f->close(f);
	}
	return take_file(p, "nbdboot.conf", rc, len);
}

/*
 * In the packet that named this program.  Without IPv6 one of DHCPv6 has no name
 * that could be read.
 */
static bool tftp_name(char *to, size_t cap, union efi_ip *server,
		      const struct efi_pxe_mode *m)
{
	const struct efi_pxe_packet *k = m->reply_received   ? &m->reply
					 : m->proxy_received ? &m->proxy
							     : &m->ack;

	if (m->v6)
		return LWIP_IPV6 && uefi_beside_dhcp6(to, cap, server->v6,
						      k->raw, sizeof(k->raw));
	return uefi_beside_bootp(to, cap, server->v4, k->raw, sizeof(k->raw)) &&
	       server->align[0];
}

static bool from_tftp(struct uefi_program *p)
{
	struct efi_pxe *pxe = efi_protocol(efi.self->device, &efi_guid_pxe);
	uint64_t len = sizeof(p->raw);
	union efi_ip server = { { 0 } };
	char name[300];
	efi_status s;

	if (!pxe || !pxe->mode->started)
		return false;
	if (!tftp_name(name, sizeof(name), &server, pxe->mode))
		return ignored(p, "nbdboot.conf of PXE", nowhere);
	s = pxe->tftp(pxe, EFI_PXE_READ_FILE, p->raw, false, &len, NULL,
		      &server, name, NULL, false);
	return take_file(p, name,
			 s == EFI_TFTP_ERROR ? NBD_E_NOT_FOUND : efi_error(s),
			 (size_t)len);
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
		boot_lease_node((const uint8_t *)path, len, LEASE_NODE_URI, &n);
	struct efi_http_from from;
	struct dhcp_lease l;
	struct ip_config ip;
	char own[512], url[512];
	int got;

	if (!node || n == sizeof(*path))
		return false;
	if (nbd_fmt(own, sizeof(own), "%.*s", (int)(n - sizeof(*path)),
		    (const char *)node + sizeof(*path)) < 0 ||
	    !uefi_beside_url(url, sizeof(url), own))
		return ignored(p, "the URL of this program", "too long");
	if (LWIP_IPV6 && boot_lease_path6(&ip, (const uint8_t *)path, len))
		l.addr.len = 0;
	else if (!boot_lease_path(&l, (const uint8_t *)path, len))
		return ignored(p, "nbdboot.conf of HTTP boot", nowhere);
	from.nic = http_of(path);
	from.addr = l.addr;
	got = efi_http_get(&from, url, p->raw, sizeof(p->raw));
	return take_file(p, url, got < 0 ? got : 0, (size_t)got);
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
