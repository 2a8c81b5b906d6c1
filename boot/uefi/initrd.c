/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The initramfs of a kernel that is loaded directly: EFI_LOAD_FILE2 on a handle
 * whose path is LINUX_EFI_INITRD_MEDIA_GUID, where the kernel's EFI stub looks
 * for it (Documentation/admin-guide/efi-stub.rst).  It reads straight into the
 * memory of the kernel.
 */
#include "boot/uefi/initrd.h"

#include <string.h>

/* The kernel finds the next archive on a boundary of 4 bytes. */
static uint64_t padded(uint64_t n)
{
	return (n + 3) & ~3ull;
}

static int read_all(struct uefi_initrds *r, unsigned char *to,
		    struct nbd_diag *d)
{
	for (unsigned i = 0; i < r->n; i++) {
		uint64_t n = r->file[i].size;
		int rc = uefi_input_read(&r->file[i], to, d);

		if (rc)
			return rc;
		memset(to + n, 0, (size_t)(padded(n) - n));
		to += padded(n);
	}
	return NBD_OK;
}

static efi_status load(struct efi_load_file2 *l, struct efi_path *path,
		       efi_bool by_boot_policy, size_t *len, void *buf)
{
	struct uefi_initrds *r = (struct uefi_initrds *)l;
	struct nbd_diag d;

	(void)path;
	if (by_boot_policy)
		return EFI_ERROR(3u);
	if (!buf || *len < r->size) {
		*len = (size_t)r->size;
		return EFI_BUFFER_TOO_SMALL;
	}
	*len = (size_t)r->size;
	if (!read_all(r, buf, &d))
		return EFI_SUCCESS;
	efi_print("nbdboot: FAILED: initrd: %s\n", d.text);
	return EFI_DEVICE_ERROR;
}

static int install(struct uefi_initrds *r, struct nbd_diag *d)
{
	efi_status s;

	r->load.load = load;
	efi_path_add(r->path, sizeof(r->path), NULL, EFI_PATH_MEDIA,
		     EFI_PATH_VENDOR, &efi_guid_initrd,
		     sizeof(efi_guid_initrd));
	s = efi.bs->install(&r->handle, &efi_guid_path, EFI_NATIVE_PROTOCOL,
			    r->path);
	if (!s)
		s = efi.bs->install(&r->handle, &efi_guid_load_file2,
				    EFI_NATIVE_PROTOCOL, &r->load);
	return s ? nbd_diag(d, efi_error(s), "initrd: %s", efi_text(s))
		 : NBD_OK;
}

/* Adds a file that is open to the sum, which no size of a server may wrap. */
static bool add_size(struct uefi_initrds *r, uint64_t n)
{
	const uint64_t most = UINT64_MAX / 2;

	if (n > most || padded(n) > most - r->size)
		return false;
	r->size += padded(n);
	return true;
}

/* The kernel takes one piece of memory for all: can it? */
static bool fits(uint64_t size)
{
	void *p = efi_pages((size_t)size);

	efi_free_pages(p, (size_t)size);
	return p || !size;
}

int uefi_initrd_add(struct uefi_initrds *r, const struct uefi_conf *c,
		    struct uefi_program *p, struct nbd_diag *d)
{
	bool fit = true;
	int rc;

	r->size = 0;
	r->handle = NULL;
	for (r->n = 0; r->n < c->initrds && fit; r->n++) {
		rc = uefi_input_open(&r->file[r->n], p, c->initrd[r->n],
				     c->initrd_hash[r->n], d);
		if (rc)
			return rc;
		fit = add_size(r, r->file[r->n].size);
	}
	if (!r->n)
		return NBD_OK;
	/* a kernel may go on without an archive that it does not get */
	for (unsigned i = 0; i < r->n && fit; i++) {
		rc = r->file[i].hash ? uefi_input_keep(&r->file[i], d) : 0;
		if (rc)
			return rc;
	}
	if (!fit || !fits(r->size))
		return nbd_diag(d, NBD_E_NO_MEMORY,
				"initrd %s: too large for the memory",
				c->initrd[r->n - 1]);
	return install(r, d);
}

void uefi_initrd_remove(struct uefi_initrds *r)
{
	if (r->handle) {
		efi.bs->uninstall(r->handle, &efi_guid_load_file2, &r->load);
		efi.bs->uninstall(r->handle, &efi_guid_path, r->path);
		r->handle = NULL;
	}
	while (r->n)
		uefi_input_close(&r->file[--r->n]);
}
