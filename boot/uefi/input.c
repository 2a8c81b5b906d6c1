/* SPDX-License-Identifier: BSD-2-Clause */
/* Files on volumes and exports. */
#include "boot/uefi/input.h"

#include <string.h>

#include "boot/words/hash.h"
#include "boot/uefi/program.h"

/* Volumes of our disk that were looked at. */
static int open_on_volumes(struct uefi_input *in, const struct uefi_program *p,
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
		rc = efi_file_open(&in->f, &in->size, list[i], in->name);
		if (!rc)
			in->volume = list[i];
	}
	efi_free(list);
	return rc;
}

static int open_export(struct uefi_input *in, struct uefi_program *p,
		       struct nbd_diag *d)
{
	struct uefi_session *s = &in->session;
	int rc = nbd_uri_parse(&in->uri, in->text, sizeof(in->text), in->name);

	if (rc)
		return nbd_diag(d, rc, "%s: %s", in->name,
				in->uri.wrong ? in->uri.wrong : "too long");
	if (p->conf.cmd.tls && boot_uris_forbidden(&in->uri, 1))
		return nbd_diag(d, NBD_E_URI, "%s: %s", in->name,
				boot_uris_forbidden(&in->uri, 1));
	*s = (struct uefi_session){ .net = p->net.stack,
				    .uris = &in->uri,
				    .n_uris = 1,
				    .connections =
					    (unsigned)p->conf.cmd.connections,
				    .waits = &p->waits,
				    .patience = (unsigned)p->conf.cmd.timeout };
	rc = uefi_session_open(s, d);
	if (rc)
		return nbd_diag_prefix(d, rc, "%s", in->name);
	in->size = s->disk.export.size;
	return NBD_OK;
}

int uefi_input_open(struct uefi_input *in, struct uefi_program *p,
		    const char *name, const char *hash, struct nbd_diag *d)
{
	unsigned seen = 0;
	int rc;

	in->name = name;
	in->hash = hash;
	in->volume = NULL;
	in->f = NULL;
	in->copy = NULL;
	if (nbd_is_uri(name))
		return open_export(in, p, d);
	rc = open_on_volumes(in, p, &seen);
	if (!rc)
		return NBD_OK;
	return nbd_diag(d, rc, "%s: %s", name,
			p->drive.session.dead ? "the disk failed"
			: seen		      ? "no volume of the disk has it"
			       : "the disk has no volume that the firmware can "
				 "read (it needs a partition with FAT)");
}

static int read_volume(struct uefi_input *in, unsigned char *to,
		       struct nbd_diag *d)
{
	uint64_t left = in->size;
	size_t n;
	efi_status s = in->f->seek(in->f, 0);

	for (; left && !s; left -= n, to += n) {
		n = (size_t)left;
		s = in->f->read(in->f, &n, to);
		if (!s && !n)
			s = EFI_DEVICE_ERROR;
	}
	return s ? nbd_diag(d, efi_error(s), "%s: %s", in->name, efi_text(s))
		 : NBD_OK;
}

static int read_export(struct uefi_input *in, void *buf, struct nbd_diag *d)
{
	int rc = uefi_session_run(&in->session, NBD_CMD_READ, 0, buf,
				  (size_t)in->size);

	return rc ? nbd_diag(d, rc, "%s: %s", in->name,
			     in->session.disk.d.text[0]
				     ? in->session.disk.d.text
				     : nbd_err_text(rc))
		  : NBD_OK;
}

int uefi_input_read(struct uefi_input *in, void *buf, struct nbd_diag *d)
{
	int rc;

	if (in->copy) {
		memcpy(buf, in->copy, (size_t)in->size);
		return NBD_OK;
	}
	rc = in->volume ? read_volume(in, buf, d) : read_export(in, buf, d);
	if (rc || !in->hash)
		return rc;
	rc = boot_hash_check(in->hash, buf, (size_t)in->size, d);
	return rc ? nbd_diag_prefix(d, rc, "%s", in->name) : NBD_OK;
}

int uefi_input_keep(struct uefi_input *in, struct nbd_diag *d)
{
	void *copy = efi_pages((size_t)in->size);
	int rc = copy ? uefi_input_read(in, copy, d)
		      : nbd_diag(d, NBD_E_NO_MEMORY, "%s: too large", in->name);

	if (rc)
		efi_free_pages(copy, (size_t)in->size);
	else
		in->copy = copy;
	return rc;
}

void uefi_input_close(struct uefi_input *in)
{
	efi_free_pages(in->copy, (size_t)in->size);
	in->copy = NULL;
	if (in->f)
		in->f->close(in->f);
	in->f = NULL;
	uefi_session_close(&in->session);
}
