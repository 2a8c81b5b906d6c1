/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a copy would write what it reads. */
#include "boot/copy/copy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "port/linux/file.h"

/* Where a side begins in a file; on a disk, which has no ino. */
struct place {
	dev_t dev;
	ino_t ino;
	uint64_t at;
};

/* From a partition to its disk. */
static void leave_partition(struct place *p)
{
	char path[64], number[32], *end;
	unsigned of;

	nbd_fmt(path, sizeof(path), "/sys/dev/block/%u:%u/start", major(p->dev),
		minor(p->dev));
	/* only a partition has it */
	if (access(path, F_OK))
		return;
	p->at += file_number(AT_FDCWD, path) * 512;
	nbd_fmt(path, sizeof(path), "/sys/dev/block/%u:%u/../dev",
		major(p->dev), minor(p->dev));
	file_read(AT_FDCWD, path, number, sizeof(number));
	of = (unsigned)strtoul(number, &end, 10);
	if (*end == ':')
		p->dev = makedev(of, (unsigned)strtoul(end + 1, NULL, 10));
}

static bool find_place(struct place *p, const struct side *s)
{
	struct stat st;

	if (s->link || fstat(s->fd, &st) < 0)
		return false;
	*p = (struct place){ st.st_dev, st.st_ino, s->base };
	if (S_ISBLK(st.st_mode)) {
		p->dev = st.st_rdev;
		p->ino = 0;
		leave_partition(p);
	}
	return S_ISBLK(st.st_mode) || S_ISREG(st.st_mode) ||
	       S_ISFIFO(st.st_mode);
}

bool copy_side_overlap(const struct side *a, const struct side *b)
{
	struct place p, q;

	if (!find_place(&p, a) || !find_place(&q, b) || p.dev != q.dev ||
	    p.ino != q.ino)
		return false;
	return p.at == q.at ||
	       (p.at > q.at ? p.at - q.at < b->size : q.at - p.at < a->size);
}
