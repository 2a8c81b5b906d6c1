/* SPDX-License-Identifier: BSD-2-Clause */
/* Files on volumes and exports. */
#include "boot/uefi/input.h"

#include <string.h>

#include "boot/uefi/hash.h"
#include "boot/uefi/program.h"

/* Volumes of our disk that were looked at. */
static int open_on_volumes(struct uefi_input *f, const struct uefi_program *p,
			   unsigned *seen)
{
	const struct efi_path *disk = efi_disk_path(&p->drive.disk), *path;
	efi_handle *list;
	size_t n = efi_handles(&efi_guid_volume, &list);
	int rc = NBD_E_NOT_FOUND;

	for (size_t i = 0; i < n && rc; i++) {
		path = efi_path_of(list[i]);
		if (!path || !efi_path_begins(path, disk))
			continue;
		++*seen;
		rc = efi_file_open(&f->f, &f->size, list[i], f->name);
		if (!rc)
			f->volume = list[i];
	}
	efi_free(list);
	return rc;
}

static int open_export(struct uefi_input *f, struct uefi_program *p,
		       struct nbd_diag *d)
{
	struct uefi_session *s = &f->session;
	int rc = nbd_uri_parse(&f->uri, f->text, sizeof(f->text), f->name);

	if (rc)
		return nbd_diag(d, rc, "%s: %s", f->name,
				f->uri.wrong ? f->uri.wrong : "too long");
	if (p->conf.cmd.tls && boot_uris_forbidden(&f->uri, 1))
		return nbd_diag(d, NBD_E_URI, "%s: %s", f->name,
				boot_uris_forbidden(&f->uri, 1));
	*s = (struct uefi_session){ .net = p->net.stack,
				    .uris = &f->uri,
				    .n_uris = 1,
				    .waits = &p->waits,
				    .patience = (unsigned)p->conf.cmd.timeout };
	rc = uefi_session_open(s, d);
	if (rc)
		return nbd_diag_prefix(d, rc, "%s", f->name);
	f->size = s->disk.export.size;
	return NBD_OK;
}

int uefi_input_open(struct uefi_input *f, struct uefi_program *p,
		    const char *name, const char *hash, struct nbd_diag *d)
{
	unsigned seen = 0;
	int rc;

	f->name = name;
	f->hash = hash;
	f->volume = NULL;
	f->f = NULL;
	f->copy = NULL;
	if (nbd_is_uri(name))
		return open_export(f, p, d);
	rc = open_on_volumes(f, p, &seen);
	if (!rc)
		return NBD_OK;
	return nbd_diag(d, rc, "%s: %s", name,
			p->drive.session.dead ? "the disk failed"
			: seen		      ? "no volume of the disk has it"
			       : "the disk has no volume that the firmware can "
				 "read (it needs a partition with FAT)");
}

static int read_volume(struct uefi_input *f, unsigned char *to,
		       struct nbd_diag *d)
{
	uint64_t left = f->size;
	size_t n;
	efi_status s = f->f->seek(f->f, 0);

	for (; left && !s; left -= n, to += n) {
		n = (size_t)left;
		s = f->f->read(f->f, &n, to);
		if (!s && !n)
			s = EFI_DEVICE_ERROR;
	}
	return s ? nbd_diag(d, efi_error(s), "%s: %s", f->name, efi_text(s))
		 : NBD_OK;
}

static int read_export(struct uefi_input *f, void *buf, struct nbd_diag *d)
{
	int rc = uefi_session_run(&f->session, NBD_CMD_READ, 0, buf,
				  (size_t)f->size);

	return rc ? nbd_diag(d, rc, "%s: %s", f->name,
			     f->session.disk.d.text[0] ? f->session.disk.d.text
						       : nbd_err_text(rc))
		  : NBD_OK;
}

int uefi_input_read(struct uefi_input *f, void *buf, struct nbd_diag *d)
{
	int rc;

	if (f->copy) {
		memcpy(buf, f->copy, (size_t)f->size);
		return NBD_OK;
	}
	rc = f->volume ? read_volume(f, buf, d) : read_export(f, buf, d);
	if (rc || !f->hash)
		return rc;
	rc = uefi_hash_check(f->hash, buf, (size_t)f->size, d);
	return rc ? nbd_diag_prefix(d, rc, "%s", f->name) : NBD_OK;
}

int uefi_input_keep(struct uefi_input *f, struct nbd_diag *d)
{
	void *copy = efi_pages((size_t)f->size);
	int rc = copy ? uefi_input_read(f, copy, d)
		      : nbd_diag(d, NBD_E_NO_MEMORY, "%s: too large", f->name);

	if (rc)
		efi_free_pages(copy, (size_t)f->size);
	else
		f->copy = copy;
	return rc;
}

void uefi_input_close(struct uefi_input *f)
{
	efi_free_pages(f->copy, (size_t)f->size);
	f->copy = NULL;
	if (f->f)
		f->f->close(f->f);
	f->f = NULL;
	uefi_session_close(&f->session);
}
