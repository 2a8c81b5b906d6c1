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

static int read_all(struct uefi_initrds *initrds, unsigned char *to,
		    struct nbd_diag *d)
{
	for (unsigned i = 0; i < initrds->n; i++) {
		uint64_t n = initrds->file[i].size;
		int rc = uefi_input_read(&initrds->file[i], to, d);

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
	struct uefi_initrds *initrds = (struct uefi_initrds *)l;
	struct nbd_diag d;

	(void)path;
	if (by_boot_policy)
		return EFI_ERROR(3u);
	if (!buf || *len < initrds->size) {
		*len = (size_t)initrds->size;
		return EFI_BUFFER_TOO_SMALL;
	}
	*len = (size_t)initrds->size;
	if (!read_all(initrds, buf, &d))
		return EFI_SUCCESS;
	efi_print("nbdboot: FAILED: initrd: %s\n", d.text);
	return EFI_DEVICE_ERROR;
}

static int install(struct uefi_initrds *initrds, struct nbd_diag *d)
{
	efi_status s;

	initrds->load.load = load;
	efi_path_add(initrds->path, sizeof(initrds->path), NULL, EFI_PATH_MEDIA,
		     EFI_PATH_VENDOR, &efi_guid_initrd,
		     sizeof(efi_guid_initrd));
	s = efi.bs->install(&initrds->handle, &efi_guid_path,
			    EFI_NATIVE_PROTOCOL, initrds->path);
	if (!s)
		s = efi.bs->install(&initrds->handle, &efi_guid_load_file2,
				    EFI_NATIVE_PROTOCOL, &initrds->load);
	return s ? nbd_diag(d, efi_error(s), "initrd: %s", efi_text(s))
		 : NBD_OK;
}

/* Adds a file that is open to the sum, which no size of a server may wrap. */
static bool add_size(struct uefi_initrds *initrds, uint64_t n)
{
	const uint64_t most = UINT64_MAX / 2;

	if (n > most || padded(n) > most - initrds->size)
		return false;
	initrds->size += padded(n);
	return true;
}

/* The kernel takes one piece of memory for all: can it? */
static bool fits(uint64_t size)
{
	void *p = efi_pages((size_t)size);

	efi_free_pages(p, (size_t)size);
	return p || !size;
}

int uefi_initrd_add(struct uefi_initrds *initrds, const struct boot_conf *c,
		    struct uefi_program *p, struct nbd_diag *d)
{
	bool fit = true;
	int rc;

	initrds->size = 0;
	initrds->handle = NULL;
	for (initrds->n = 0; initrds->n < c->initrds && fit; initrds->n++) {
		rc = uefi_input_open(&initrds->file[initrds->n], p,
				     c->initrd[initrds->n],
				     c->initrd_hash[initrds->n], d);
		if (rc)
			return rc;
		fit = add_size(initrds, initrds->file[initrds->n].size);
	}
	if (!initrds->n)
		return NBD_OK;
	/* a kernel may go on without an archive that it does not get */
	for (unsigned i = 0; i < initrds->n && fit; i++) {
		rc = initrds->file[i].hash
			     ? uefi_input_keep(&initrds->file[i], d)
			     : 0;
		if (rc)
			return rc;
	}
	if (!fit || !fits(initrds->size))
		return nbd_diag(d, NBD_E_NO_MEMORY,
				"initrd %s: too large for the memory",
				c->initrd[initrds->n - 1]);
	return install(initrds, d);
}

void uefi_initrd_remove(struct uefi_initrds *initrds)
{
	if (initrds->handle) {
		efi.bs->uninstall(initrds->handle, &efi_guid_load_file2,
				  &initrds->load);
		efi.bs->uninstall(initrds->handle, &efi_guid_path,
				  initrds->path);
		initrds->handle = NULL;
	}
	while (initrds->n)
		uefi_input_close(&initrds->file[--initrds->n]);
}
