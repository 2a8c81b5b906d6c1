/* SPDX-License-Identifier: BSD-2-Clause */
/* The disk: arguments are checked here, the caller moves the bytes. */
#include "port/uefi/disk.h"

#include <string.h>

#include "core/nbd_io.h"

#define OF(p, member)                                                      \
	((struct efi_disk *)(void *)((char *)(p)-offsetof(struct efi_disk, \
							  member)))

static efi_status move(struct efi_disk *disk, unsigned type, uint32_t id,
		       uint64_t lba, size_t len, void *buf)
{
	uint64_t blocks = disk->size / disk->block;

	if (id != disk->media.id)
		return EFI_MEDIA_CHANGED;
	if (type == NBD_CMD_WRITE && disk->read_only)
		return EFI_WRITE_PROTECTED;
	if (!len)
		return EFI_SUCCESS;
	if (!buf)
		return EFI_INVALID_PARAMETER;
	if (len % disk->block)
		return EFI_BAD_BUFFER_SIZE;
	if (lba >= blocks || len / disk->block > blocks - lba)
		return EFI_INVALID_PARAMETER;
	return disk->run(disk, type, lba * disk->block, buf, len);
}

static efi_status flush(struct efi_disk *disk)
{
	return disk->read_only ? EFI_SUCCESS
			       : disk->run(disk, NBD_CMD_FLUSH, 0, NULL, 0);
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

static void fill(struct efi_disk *disk)
{
	disk->media = (struct efi_media){
		.id = 1,
		.present = true,
		.read_only = disk->read_only,
		.block = disk->block,
		.last = disk->size / disk->block - 1,
	};
	disk->io = (struct efi_block_io){ EFI_BLOCK_IO_REVISION,
					  &disk->media,
					  io_reset,
					  io_read,
					  io_write,
					  io_flush };
	disk->io2 = (struct efi_block_io2){ &disk->media, io2_reset, io2_read,
					    io2_write, io2_flush };
}

static efi_status install(struct efi_disk *disk, const struct efi_guid *g,
			  void *p)
{
	return efi.bs->install(&disk->handle, g, EFI_NATIVE_PROTOCOL, p);
}

int efi_disk_add(struct efi_disk *disk, const struct efi_path *nic,
		 const char *uri, struct nbd_diag *d)
{
	efi_status s;

	disk->handle = NULL;
	if (disk->size < disk->block)
		return nbd_diag(d, NBD_E_SIZE,
				"%s: %llu bytes, less than a block of %u", uri,
				(unsigned long long)disk->size, disk->block);
	fill(disk);
	if (efi_path_add(disk->path, sizeof(disk->path), nic, EFI_PATH_MESSAGE,
			 EFI_PATH_URI, uri, strlen(uri)) < 0)
		return nbd_diag(d, NBD_E_NO_MEMORY, "%s: too long", uri);
	s = install(disk, &efi_guid_path, disk->path);
	if (!s)
		s = install(disk, &efi_guid_block_io, &disk->io);
	if (!s)
		s = install(disk, &efi_guid_block_io2, &disk->io2);
	if (s) {
		efi_disk_remove(disk);
		return nbd_diag(d, efi_error(s), "add a disk: %s", efi_text(s));
	}
	/* a disk without partitions is no failure */
	efi.bs->connect(disk->handle, NULL, NULL, true);
	return NBD_OK;
}

void efi_disk_remove(struct efi_disk *disk)
{
	if (!disk->handle)
		return;
	efi.bs->disconnect(disk->handle, NULL, NULL);
	efi.bs->uninstall(disk->handle, &efi_guid_block_io2, &disk->io2);
	efi.bs->uninstall(disk->handle, &efi_guid_block_io, &disk->io);
	efi.bs->uninstall(disk->handle, &efi_guid_path, disk->path);
	disk->handle = NULL;
}

const struct efi_path *efi_disk_path(const struct efi_disk *disk)
{
	return (const struct efi_path *)disk->path;
}
