/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot copy --part: a partition by the table of the disk. */
#include "boot/cli/copy_part.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

#include "boot/init/disk_part.h"

const struct cli_option cli_part_options[] = {
	{ "part", 0, "PART", "copy this partition of SRC",
	  CLI_FIELD(struct copy_options, part) },
	{ "to-part", 0, "PART", "into this partition of DST",
	  CLI_FIELD(struct copy_options, to_part) },
	{ .more = cli_hash_options },
};

struct from {
	struct side *side;
	unsigned tries;
};

/* A disk that fails may fail in its table, too. */
static int peek(void *ctx, void *buf, size_t len, uint64_t at,
		struct nbd_diag *d)
{
	const struct from *from = ctx;
	int err = NBD_E_IO;

	for (unsigned i = 0; err == NBD_E_IO && i < from->tries; i++)
		err = copy_side_peek(from->side, buf, len, at, d);
	return err;
}

/* 0: an image, or an export: its table says it. */
static uint32_t sector_of(const struct side *s)
{
	int size = 0;

	return s->link || ioctl(s->fd, BLKSSZGET, &size) || size < 0
		       ? 0
		       : (uint32_t)size;
}

int cli_copy_part(struct side *s, const struct copy_options *o,
		  struct nbd_diag *d)
{
	const char *text = s->output ? o->to_part : o->part;
	struct from from = { s, o->skip_bad ? o->retries + 1 : 1 };
	struct disk_bytes b = {
		.name = s->name, .size = s->size, .read = peek, .ctx = &from
	};
	struct disk_part p;
	int err;

	if (!text)
		return 0;
	if (s->is_pipe)
		return copy_side_range(s, 0, 0, d);
	b.sector = sector_of(s);
	err = init_disk_part(&p, &b, s->output ? "--to-part" : "--part", text,
			     d);
	return err ? err : copy_side_range(s, p.at, p.len, d);
}
