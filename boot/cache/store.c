/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device holds: its label, and the heads of its halves. */
#include "boot/cache/cache.h"

#include <errno.h>
#include <string.h>

#include "port/linux/file.h"

bool cache_is_ours(int fd, uint64_t size, const struct clone_eyes *eyes)
{
	char is[CACHE_LABEL], want[CACHE_LABEL];

	cache_label(want, size);
	/* whatever else is made there writes into one of these */
	return size >= 2 * CACHE_END && file_read_at(fd, is, sizeof(is), 0) &&
	       !memcmp(is, want, sizeof(is)) &&
	       eyes->is_blank(fd, CACHE_LABEL, CACHE_END) &&
	       eyes->is_blank(fd, size - CACHE_END, size);
}

int cache_read(struct cache_half *h, int fd, uint64_t size, unsigned half,
	       struct nbd_diag *d)
{
	/* of a child or a command; too large for a stack; O_DIRECT */
	static _Alignas(4096) char text[CACHE_HEAD];

	if (!cache_room(size))
		return nbd_diag(d, NBD_E_NOT_FOUND, "it is too small");
	if (!file_read_at(fd, text, sizeof(text), cache_head_at(size, half)))
		return nbd_diag(d, NBD_E_IO, "read its head: %s",
				strerror(errno));
	return cache_head_parse(h, text, sizeof(text), size, half, d);
}
