/* SPDX-License-Identifier: BSD-2-Clause */
/* The disk: arguments are checked here, the caller moves the bytes. */
#include "port/uefi/disk.h"

#include <string.h>

#include "core/nbd_io.h"

#define OF(p, member)                                                      \
	((struct efi_disk *)(void *)((char *)(p)-offsetof(struct efi_disk, \
							  member)))

static efi_status move(struct efi_disk *k, unsigned type, uint32_t id,
		       uint64_t lba, size_t len, void *buf)
{
	uint64_t blocks = k->size / k->block;

	if (id != k->media.id)
		return EFI_MEDIA_CHANGED;
	if (type == NBD_CMD_WRITE && k->read_only)
		return EFI_WRITE_PROTECTED;
	if (!len)
		return EFI_SUCCESS;
	if (!buf)
		return EFI_INVALID_PARAMETER;
	if (len % k->block)
		return EFI_BAD_BUFFER_SIZE;
	if (lba >= blocks || len / k->block > blocks - lba)
		return EFI_INVALID_PARAMETER;
	return k->run(k, type, lba * k->block, buf, len);
}

static efi_status flush(struct efi_disk *k)
{
	return k->read_only ? EFI_SUCCESS
			    : k->run(k, NBD_CMD_FLUSH, 0, NULL, 0);
}

static efi_status io_reset(struct efi_block_io *io, efi_bool extended)
{
	(void)io;
	(void)extended;
	return EFI_SUCCESS;
}

static efi_status io_read(struct efi_block_io *io, uint32_t id, uint64_t lba,
			  size_t len, void *buf)
{
	return move(OF(io, io), NBD_CMD_READ, id, lba, len, buf);
}

static efi_status io_write(struct efi_block_io *io, uint32_t id, uint64_t lba,
			   size_t len, void *buf)
{
	return move(OF(io, io), NBD_CMD_WRITE, id, lba, len, buf);
}

static efi_status io_flush(struct efi_block_io *io)
{
	return flush(OF(io, io));
}

/* A token means that the caller would go on meanwhile; it is done at once. */
static efi_status finish(struct efi_token *t, efi_status s)
{
	if (!t || !t->event)
		return s;
	t->status = s;
	efi.bs->signal_event(t->event);
	return EFI_SUCCESS;
}

static efi_status io2_reset(struct efi_block_io2 *io, efi_bool extended)
{
	(void)io;
	(void)extended;
	return EFI_SUCCESS;
}

static efi_status io2_read(struct efi_block_io2 *io, uint32_t id, uint64_t lba,
			   struct efi_token *t, size_t len, void *buf)
{
	return finish(t, move(OF(io, io2), NBD_CMD_READ, id, lba, len, buf));
}

static efi_status io2_write(struct efi_block_io2 *io, uint32_t id, uint64_t lba,
			    struct efi_token *t, size_t len, void *buf)
{
	return finish(t, move(OF(io, io2), NBD_CMD_WRITE, id, lba, len, buf));
}

static efi_status io2_flush(struct efi_block_io2 *io, struct efi_token *t)
{
	return finish(t, flush(OF(io, io2)));
}

static void fill(struct efi_disk *k)
{
	k->media = (struct efi_media){
		.id = 1,
		.present = true,
		.read_only = k->read_only,
		.block = k->block,
		.last = k->size / k->block - 1,
	};
	k->io = (struct efi_block_io){ EFI_BLOCK_IO_REVISION,
				       &k->media,
				       io_reset,
				       io_read,
				       io_write,
				       io_flush };
	k->io2 = (struct efi_block_io2){ &k->media, io2_reset, io2_read,
					 io2_write, io2_flush };
}

static efi_status install(struct efi_disk *k, const struct efi_guid *g, void *p)
{
	return efi.bs->install(&k->handle, g, EFI_NATIVE_PROTOCOL, p);
}

int efi_disk_add(struct efi_disk *k, const struct efi_path *nic,
		 const char *uri, struct nbd_diag *d)
{
	efi_status s;

	k->handle = NULL;
	if (k->size < k->block)
		return nbd_diag(d, NBD_E_SIZE,
				"%s: %llu bytes, less than a block of %u", uri,
				(unsigned long long)k->size, k->block);
	fill(k);
	if (efi_path_add(k->path, sizeof(k->path), nic, EFI_PATH_MESSAGE,
			 EFI_PATH_URI, uri, strlen(uri)) < 0)
		return nbd_diag(d, NBD_E_NO_MEMORY, "%s: too long", uri);
	s = install(k, &efi_guid_path, k->path);
	if (!s)
		s = install(k, &efi_guid_block_io, &k->io);
	if (!s)
		s = install(k, &efi_guid_block_io2, &k->io2);
	if (s) {
		efi_disk_remove(k);
		return nbd_diag(d, efi_error(s), "add a disk: %s", efi_text(s));
	}
	/* a disk without partitions is no failure */
	efi.bs->connect(k->handle, NULL, NULL, true);
	return NBD_OK;
}

void efi_disk_remove(struct efi_disk *k)
{
	if (!k->handle)
		return;
	efi.bs->disconnect(k->handle, NULL, NULL);
	efi.bs->uninstall(k->handle, &efi_guid_block_io2, &k->io2);
	efi.bs->uninstall(k->handle, &efi_guid_block_io, &k->io);
	efi.bs->uninstall(k->handle, &efi_guid_path, k->path);
	k->handle = NULL;
}

const struct efi_path *efi_disk_path(const struct efi_disk *k)
{
	return (const struct efi_path *)k->path;
}
