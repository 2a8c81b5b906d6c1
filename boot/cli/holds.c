/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the export of nbdboot info holds.  What is read of it, the start and the
 * end, stands in a sparse file in memory, which the code that init has for
 * devices looks at.
 */
#include "boot/cli/info.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boot/init/content.h"
#include "port/linux/file.h"

/* A multiple of each block size of a server that is not absurd. */
#define PIECE 65536u

/* Copies the len bytes at `at`; fewer if a request has room for fewer. */
static int copy(struct info *i, int fd, uint64_t at, uint64_t len)
{
	static unsigned char piece[PIECE];
	uint32_t most = nbd_max_payload(&i->conn.c);
	int rc = 0;

	while (!rc && len) {
		size_t n = len < PIECE ? (size_t)len : PIECE;

		if (n > most)
			n = most;
		rc = cli_info_read(i, at, piece, n);
		if (!rc && !file_write_at(fd, piece, n, at))
			rc = nbd_diag(i->d, NBD_E_NO_MEMORY, "a copy: %s",
				      strerror(errno));
		at += n;
		len -= n;
	}
	return rc;
}

static int copy_ends(struct info *i, int fd)
{
	const struct nbd_export *e = nbd_export(&i->conn.c);
	uint64_t min = e->has_block ? e->min_block : 1;
	uint64_t size = e->size & -min, head = INIT_CONTENT_BYTES, tail;
	int rc;

	if (min > PIECE)
		return nbd_diag(i->d, NBD_E_UNSUP, "blocks of %u bytes",
				e->min_block);
	if (ftruncate(fd, (off_t)e->size))
		return nbd_diag(i->d, NBD_E_NO_MEMORY, "a copy: %s",
				strerror(errno));
	if (head > size)
		head = size;
	rc = copy(i, fd, 0, head);
	tail = size & -(uint64_t)PIECE;
	tail = tail < PIECE + head ? head : tail - PIECE;
	return rc ? rc : copy(i, fd, tail, size - tail);
}

int cli_info_holds(struct info *i)
{
	struct info_holds *h = &i->holds;
	struct content c;
	struct super s;
	int fd = memfd_create("export", MFD_CLOEXEC), rc;

	h->looked = true;
	if (fd < 0)
		return nbd_diag(i->d, NBD_E_NO_MEMORY, "a copy: %s",
				strerror(errno));
	rc = copy_ends(i, fd);
	if (!rc && !init_super_read(&s, fd)) {
		nbd_fmt(h->what, sizeof(h->what), "%s", s.type);
		memcpy(h->label, s.label, sizeof(h->label));
		memcpy(h->uuid, s.uuid, sizeof(h->uuid));
	} else if (!rc) {
		c = init_content(fd, true);
		if (c.what)
			init_content_print(h->what, sizeof(h->what), &c);
	}
	close(fd);
	return rc;
}
