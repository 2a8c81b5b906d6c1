/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest request of a queue: max_sectors_kb. */
#include "boot/device/limit.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

#include <fcntl.h>
#include <string.h>

struct path {
	char text[128];
};

static struct path path_of(int index)
{
	struct path p = { "" };

	nbd_fmt(p.text, sizeof(p.text), "%s/nbd%d/queue/max_sectors_kb",
		nbdk_sys, index);
	return p;
}

uint32_t device_limit(int index)
{
	uint64_t kib = file_number(AT_FDCWD, path_of(index).text);

	return kib > UINT32_MAX / 1024 ? UINT32_MAX : (uint32_t)kib * 1024;
}

int device_limit_set(int index, uint32_t max, struct nbd_diag *d)
{
	char text[16];

	device_limit_first(index, max);
	/* an earlier use of the device may have left any value */
	if (device_limit(index) <= max)
		return 0;
	nbd_fmt(text, sizeof(text), "%u", max / 1024);
	/* the kernel takes 0 for its own largest size */
	if (max >= 1024 &&
	    !file_write(AT_FDCWD, path_of(index).text, text, strlen(text)))
		return 0;
	return nbd_diag(d, NBD_E_PAYLOAD,
			"the server accepts at most %u bytes at once, and the "
			"kernel sends no fewer than a page",
			max);
}
