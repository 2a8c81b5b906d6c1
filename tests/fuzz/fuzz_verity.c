/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Superblocks of hash trees: what is accepted stays on the devices.  The input
 * is the sizes of both, options, a newline, and a superblock.
 */
#include "boot/verity/tree.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define H64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void check(const struct verity_tree *t, const struct verity_wanted *w,
		  const struct verity_room *room)
{
	struct verity_tree with = *t;
	char table[VERITY_TABLE];

	same(t->data_blocks && t->data_block >= 512 && t->hash_block <= 4096);
	same(t->data_blocks <= room->data / t->data_block);
	same(t->start <= room->hash / t->hash_block);
	same(t->salt_len <= VERITY_SALT);
	if (room->same)
		same(t->start * t->hash_block >=
		     t->data_blocks * t->data_block);
	if (w->fec && !verity_tree_codes(&with, w, room, NULL))
		same(with.covered > with.data_blocks &&
		     with.covered <= t->data_blocks + INT64_MAX / 512);
	same(verity_tree_table(table, &with, w, "43:0", "43:0",
			       w->fec ? "43:0" : NULL) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct verity_words words = { .root = H64 };
	struct verity_wanted w;
	struct verity_tree t;
	struct verity_room room = { 0 };
	uint8_t sb[VERITY_SUPER] = { 0 };
	char options[256] = "";
	size_t len;

	if (size < 16)
		return 0;
	memcpy(&room.data, data, 8);
	memcpy(&room.hash, data + 8, 8);
	/* of a device */
	room.data &= INT64_MAX;
	room.hash &= INT64_MAX;
	room.same = room.data == room.hash;
	room.behind = room.same;
	data += 16;
	size -= 16;
	for (len = 0; len < size && len < 255 && data[len] != '\n'; len++)
		options[len] = (char)data[len];
	words.options = options;
	if (verity_wanted(&w, &words, NULL))
		return 0;
	len += len < size;
	memcpy(sb, data + len,
	       size - len < VERITY_SUPER ? size - len : VERITY_SUPER);
	same(verity_tree_guess(room.hash, &w) <= room.hash);
	if (!verity_tree_parse(&t, sb, room.data & ~511ull, &w, &room, NULL))
		check(&t, &w, &room);
	if (w.bare &&
	    !verity_tree_bare(&t, w.hash_offset & 0xfffffe00, &w, &room, NULL))
		check(&t, &w, &room);
	return 0;
}
