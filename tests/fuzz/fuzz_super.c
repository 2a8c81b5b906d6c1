/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies on a device.  Its first two bytes choose where the input is put:
 * superblocks and tables stand at the start, at 1 KiB, and at 64 KiB.
 */
#include "boot/init/content.h"
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
	return 0;
}
