/* SPDX-License-Identifier: BSD-2-Clause */
/* The export as a disk: cache, priority, errors. */
#include "boot/uefi/program.h"

#define CACHE (UEFI_CACHE_SLOTS * UEFI_CACHE_SLOT)

/* The size of a block that partition tables are written for. */
#define BLOCK 512u

static int fetch(void *ctx, uint64_t offset, void *buf, size_t len)
{
	struct uefi_session *s = ctx;

	return uefi_session_run(s, NBD_CMD_READ, offset, buf, len);
}

static int move(struct uefi_drive *drive, unsigned type, uint64_t offset,
		void *buf, size_t len)
{
	if (type == NBD_CMD_READ)
		return uefi_cache_read(&drive->cache, offset, buf, len);
	if (type == NBD_CMD_WRITE)
		uefi_cache_drop(&drive->cache, offset, len);
	return uefi_session_run(&drive->session, type, offset, buf, len);
}

/*
 * The firmware calls from EFI_TPL_APPLICATION, and from notifications at
 * EFI_TPL_CALLBACK; those must not come in between.
 */
static efi_status run(struct efi_disk *disk, unsigned type, uint64_t offset,
		      void *buf, size_t len)
{
	struct uefi_drive *drive = (struct uefi_drive *)disk;
	uint64_t tpl = 0;
	int rc;

	if (drive->busy)
		return EFI_DEVICE_ERROR;
	if (drive->raise)
		tpl = efi.bs->raise_tpl(EFI_TPL_CALLBACK);
	drive->busy = true;
	rc = move(drive, type, offset, buf, len);
	drive->busy = false;
	if (drive->raise)
		efi.bs->restore_tpl(tpl);
	return rc ? EFI_DEVICE_ERROR : EFI_SUCCESS;
}

static void idle(void *ctx)
{
	struct uefi_program *p = ctx;

	if (p->waits)
		uefi_session_idle(p->waits);
}

static int add_disk(struct uefi_drive *drive, struct uefi_program *p,
		    struct nbd_diag *d)
{
	struct uefi_session *s = &drive->session;
	const struct nbd_export *e = &s->disk.export;
	char uri[1024];

	drive->disk.block = e->has_block && e->min_block > BLOCK ? e->min_block
								 : BLOCK;
	drive->disk.size = e->size - e->size % drive->disk.block;
	if (!drive->disk.size)
		return nbd_diag(d, NBD_E_SIZE,
				"the export has %llu bytes, less than a block "
				"of %u",
				(unsigned long long)e->size, drive->disk.block);
	if (drive->disk.size < e->size)
		efi_print("nbdboot: the export has %llu bytes, and the last "
			  "%u are less than a block of %u: they are not part "
			  "of the disk\n",
			  (unsigned long long)e->size,
			  (unsigned)(e->size - drive->disk.size),
			  drive->disk.block);
	/* a read of the last bytes, too, is of whole blocks */
	drive->cache = (struct uefi_cache){ .mem = drive->cache.mem,
					    .size = drive->disk.size,
					    .fetch = fetch,
					    .ctx = s };
	drive->disk.read_only = e->flags & NBD_FLAG_READ_ONLY;
	drive->disk.run = run;
	drive->raise = p->net.polled;
	return efi_disk_add(&drive->disk, p->net.path,
			    uefi_session_name(s, uri, sizeof(uri)), d);
}

int uefi_drive_open(struct uefi_drive *drive, struct uefi_program *p,
		    struct nbd_diag *d)
{
	struct uefi_session *s = &drive->session;
	int rc;

	drive->cache.mem = efi_pages(CACHE);
	if (!drive->cache.mem)
		return nbd_diag(d, NBD_E_NO_MEMORY, "cache: out of memory");
	p->net.idle = idle;
	p->net.ctx = p;
	s->net = p->net.stack;
	s->uris = p->root.uri;
	s->n_uris = p->root.uris;
	s->connections = (unsigned)p->conf.cmd.connections;
	s->waits = &p->waits;
	s->patience = (unsigned)p->conf.cmd.timeout;
	s->block = BLOCK;
	rc = uefi_session_open(s, d);
	if (rc)
		return rc;
	rc = add_disk(drive, p, d);
	if (rc)
		uefi_session_close(s);
	return rc;
}

void uefi_drive_close(struct uefi_drive *drive)
{
	efi_disk_remove(&drive->disk);
	uefi_session_close(&drive->session);
	/* firmware keeps the pages of a program that ends */
	efi_free_pages(drive->cache.mem, CACHE);
	drive->cache.mem = NULL;
}
