/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies on a device.  Its first two bytes choose where the input is put:
 * superblocks and tables stand at the start, at 1 KiB, and at 64 KiB.
 */
#include "boot/init/content.h"
#include "boot/init/disk_part.h"
#include "boot/init/gpt.h"
#include "port/port.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

struct disk {
	struct disk_bytes b;
	int fd;
};

static int bytes(void *ctx, void *buf, size_t len, uint64_t at,
		 struct nbd_diag *d)
{
	const struct disk *disk = ctx;

	(void)d;
	same(at <= disk->b.size && len <= disk->b.size - at);
	memset(buf, 0, len);
	return init_super_bytes(disk->fd, buf, len, at) < 0 ? NBD_E_IO : 0;
}

/* By its table, as the copy does. */
static void find(int fd, uint64_t size, uint32_t sector)
{
	static const char *const names[] = {
		"1",	       "6",
		"LABEL=x",     "PARTLABEL=x",
		"UUID=1a2b",   "PARTUUID=1a2b3c4d-02",
		"PARTUUID=00", "PARTUUID=0fc63daf-8483-4772-8e79-3d69d8477de4"
	};
	struct disk disk = { { .name = "disk",
			       .size = size,
			       .sector = sector,
			       .read = bytes,
			       .ctx = &disk },
			     fd };
	struct disk_part p;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!init_disk_part(&p, &disk.b, "part", names[i], NULL))
			same(p.at && p.len && p.at < size &&
			     p.len <= size - p.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const off_t places[] = { 0, 512, 1024, 65536 };
	static struct super s;
	static int fd = -1;
	struct gpt_entry e;
	struct gpt g;
	off_t at;
	int err;

	if (size < 2)
		return 0;
	if (fd < 0)
		fd = memfd_create("disk", MFD_CLOEXEC);
	at = places[data[0] % 4];
	same(ftruncate(fd, 0) == 0 && ftruncate(fd, data[1] * 1024) == 0);
	same(pwrite(fd, data + 2, size - 2, at) == (ssize_t)(size - 2));
	err = init_super_read(&s, fd);
	same(err == 0 || err == NBD_E_NOT_FOUND || err == NBD_E_IO);
	if (err == 0)
		same(s.type &&
		     strnlen(s.label, sizeof(s.label)) < sizeof(s.label) &&
		     strnlen(s.uuid, sizeof(s.uuid)) < sizeof(s.uuid));
	same(init_content_wrong(fd, "disk", data[0] & 8, NULL) ==
	     NBD_E_NOT_FOUND);
	err = init_super_partuuid(fd, data[0] & 4 ? 4096 : 512,
				  "0fc63daf-8483-4772-8e79-3d69d8477de4");
	same(err > 0 || err == NBD_E_NOT_FOUND || err == NBD_E_IO);
	if (!init_gpt_open(&g, fd, data[0] & 4 ? 4096 : 512))
		for (unsigned i = 0; i <= g.n; i++) {
			err = init_gpt_read(&g, i, &e);
			same(err <= 0 || strnlen(e.name, 37) < 37);
		}
	err = init_super_partuuid(fd, 512, "1a2b3c4d-02");
	same(err > 0 || err == NBD_E_NOT_FOUND || err == NBD_E_IO);
	find(fd, data[1] * 1024u, data[0] & 8 ? 0 : data[0] & 4 ? 4096 : 512);
	return 0;
}
