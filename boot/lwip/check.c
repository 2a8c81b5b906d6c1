/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot-lwip check: writes and reads blocks of an export in random order
 * through a small cache, as a boot loader does, and knows what each must hold.
 * It overwrites the export.
 */
#include "boot/lwip/lwip.h"

#include <string.h>

#define BLOCK 4096u
#define LINES 16u
#define MAX   1024u /* blocks of the export that are used */

struct line {
	unsigned char data[BLOCK];
	unsigned block, used;
	bool valid, dirty;
};

static struct {
	uint32_t random, clock;
	unsigned blocks, version[MAX]; /* 0: never written */
	unsigned char want[BLOCK];
	struct line lines[LINES];
} s;

static uint32_t draw(uint32_t below)
{
	s.random = s.random * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)s.random * below >> 32);
}

static void fill(unsigned char *to, unsigned block, unsigned version)
{
	uint32_t x = block * 2654435761u + version;

	for (unsigned i = 0; i < BLOCK; i++) {
		x = x * 1664525 + 1013904223;
		to[i] = version ? (unsigned char)(x >> 24) : 0;
	}
}

static int transfer(struct lwip_call *call, unsigned type, struct line *l)
{
	int rc = nbd_disk_do(&call->disk, type, (uint64_t)l->block * BLOCK,
			     l->data, BLOCK);

	if (rc)
		nbd_diag_prefix(&call->disk.d, rc, "block %u: %s", l->block,
				nbd_result_text(rc));
	return rc < 0 ? rc : rc ? NBD_E_IO : 0;
}

static int clean(struct lwip_call *call, struct line *l)
{
	int err = l->dirty ? transfer(call, NBD_CMD_WRITE, l) : 0;

	if (!err)
		l->dirty = false;
	return err;
}

/* The line of a block: its own, or the one that was not used the longest. */
static int find(struct lwip_call *call, unsigned block, struct line **found)
{
	struct line *oldest = &s.lines[0];
	int err;

	for (unsigned i = 0; i < LINES; i++) {
		if (s.lines[i].valid && s.lines[i].block == block) {
			*found = &s.lines[i];
			return 0;
		}
		if (s.lines[i].used < oldest->used)
			oldest = &s.lines[i];
	}
	*found = oldest;
	err = clean(call, oldest);
	if (err)
		return err;
	oldest->valid = false;
	oldest->block = block;
	err = transfer(call, NBD_CMD_READ, oldest);
	oldest->valid = !err;
	return err;
}

static int compare(struct lwip_call *call, unsigned block)
{
	struct line *l;
	int err = find(call, block, &l);

	if (err)
		return err;
	l->used = ++s.clock;
	if (!s.version[block])
		return 0; /* as it was before */
	fill(s.want, block, s.version[block]);
	if (!memcmp(l->data, s.want, BLOCK))
		return 0;
	return nbd_diag(&call->disk.d, NBD_E_IO, "block %u is not version %u",
			block, s.version[block]);
}

static int change(struct lwip_call *call, unsigned block)
{
	struct line *l;
	int err = find(call, block, &l);

	if (err)
		return err;
	l->used = ++s.clock;
	l->dirty = true;
	fill(l->data, block, ++s.version[block]);
	return 0;
}

static int flush(struct lwip_call *call)
{
	int err = 0;

	for (unsigned i = 0; i < LINES && !err; i++) {
		err = clean(call, &s.lines[i]);
		s.lines[i].valid = false;
	}
	if (!err && call->disk.export.flags & NBD_FLAG_SEND_FLUSH)
		err = nbd_disk_do(&call->disk, NBD_CMD_FLUSH, 0, NULL, 0);
	return err;
}

int lwip_check(struct lwip_call *call)
{
	uint64_t blocks = call->disk.export.size / BLOCK;
	int err = 0;

	s.random = call->o.seed;
	s.blocks = blocks < MAX ? (unsigned)blocks : MAX;
	if (!s.blocks)
		return nbd_diag(&call->disk.d, NBD_E_RANGE, "too small");
	lwip_say(1, "checking %u blocks\n", s.blocks);
	for (unsigned i = 0; i < call->o.steps && !err; i++)
		err = draw(3) ? compare(call, draw(s.blocks))
			      : change(call, draw(s.blocks));
	if (!err)
		err = flush(call);
	for (unsigned i = 0; i < s.blocks && !err; i++)
		err = compare(call, i);
	if (!err)
		lwip_say(1, "%u blocks are right, %u reconnects\n", s.blocks,
			 call->disk.reconnects);
	return err;
}
