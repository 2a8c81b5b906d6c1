/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The superblock (lib/verity/verity.c of cryptsetup), little-endian:
 *
 *	0 "verity\0\0"  8 version  12 hash type  16 UUID  32 algorithm[32]
 *	64 data block  68 hash block  72 data blocks (64 bits)
 *	80 salt size (16 bits)  82 reserved  88 salt[256]  344 reserved
 */
#include "boot/verity/tree.h"

#include <string.h>

#include "port/le.h"

static const uint8_t magic[8] = "verity\0";

static bool is_block(uint32_t n)
{
	/* the kernel's page is the most, and a sector the least */
	return n >= 512 && n <= 4096 && !(n & (n - 1));
}

static bool is_zero(const uint8_t *p, size_t len)
{
	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

/* ---- sizes ---- */

/* Hash blocks of the tree over n data blocks. */
static uint64_t tree_blocks(uint64_t n, unsigned per_block)
{
	uint64_t sum = 0;

	while (n > 1) {
		n = n / per_block + (n % per_block != 0);
		sum += n;
	}
	return sum;
}

static int fail(struct nbd_diag *d, const char *why)
{
	return nbd_diag(d, NBD_E_MISMATCH, "the superblock of verity: %s", why);
}

/* t->start is where the tree can begin at the earliest. */
static int check_room(const struct verity_tree *t, uint64_t at, unsigned digest,
		      const struct verity_room *room, struct nbd_diag *d)
{
	uint64_t tree = tree_blocks(t->data_blocks, t->hash_block / digest);

	if (!t->data_blocks || t->data_blocks > room->data / t->data_block)
		return nbd_diag(d, NBD_E_MISMATCH,
				"verity: %llu blocks of data, but the device "
				"has %llu",
				(unsigned long long)t->data_blocks,
				(unsigned long long)room->data / t->data_block);
	if (room->same && at < t->data_blocks * t->data_block)
		return nbd_diag(d, NBD_E_MISMATCH,
				"verity: the tree would begin in the data");
	if (t->start > room->hash / t->hash_block ||
	    tree > room->hash / t->hash_block - t->start)
		return nbd_diag(d, NBD_E_MISMATCH,
				"verity: the tree of %llu blocks is cut off",
				(unsigned long long)tree);
	return NBD_OK;
}

static bool differs(uint64_t wanted, uint64_t is)
{
	return wanted != VERITY_UNSET && wanted != is;
}

static int check_wanted(const struct verity_tree *t,
			const struct verity_wanted *w, struct nbd_diag *d)
{
	if (differs(w->data_block, t->data_block) ||
	    differs(w->hash_block, t->hash_block) ||
	    differs(w->data_blocks, t->data_blocks) ||
	    (w->salted && (w->salt_len != t->salt_len ||
			   memcmp(w->salt, t->salt, t->salt_len) != 0)))
		return fail(d, "not what systemd.verity_root_options= says");
	return NBD_OK;
}

int verity_tree_parse(struct verity_tree *t, const uint8_t sb[VERITY_SUPER],
		      uint64_t at, const struct verity_wanted *w,
		      const struct verity_room *room, struct nbd_diag *d)
{
	uint8_t algorithm[32] = { 0 };
	int rc;

	if (memcmp(sb, magic, sizeof(magic)) != 0)
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"verity: no superblock at byte %llu",
				(unsigned long long)at);
	if (le32(sb + 8) != 1)
		return fail(d, "not version 1");
	/* with the salt behind the data, data could pass for salt */
	if (le32(sb + 12) != 1)
		return fail(d, "not hash type 1");
	nbd_fmt((char *)algorithm, sizeof(algorithm), "%s",
		verity_algorithm(w));
	if (memcmp(sb + 32, algorithm, sizeof(algorithm)) != 0)
		return nbd_diag(
			d, NBD_E_MISMATCH,
			"the superblock of verity: its algorithm is not "
			"%s, that of %shash=",
			verity_algorithm(w), w->of);
	t->data_block = le32(sb + 64);
	t->hash_block = le32(sb + 68);
	t->data_blocks = le64(sb + 72);
	t->salt_len = le16(sb + 80);
	if (!is_block(t->data_block) || !is_block(t->hash_block))
		return fail(d, "its blocks are not of 512 to 4096 bytes");
	if (t->salt_len > VERITY_SALT ||
	    !is_zero(sb + 88 + t->salt_len, VERITY_SALT - t->salt_len) ||
	    !is_zero(sb + 82, 6) || !is_zero(sb + 344, VERITY_SUPER - 344))
		return fail(d, "its salt, or what is reserved");
	memcpy(t->salt, sb + 88, t->salt_len);
	t->start = at / t->hash_block + 1;
	rc = check_wanted(t, w, d);
	return rc ? rc : check_room(t, at, w->digest, room, d);
}

int verity_tree_bare(struct verity_tree *t, uint64_t at,
		     const struct verity_wanted *w,
		     const struct verity_room *room, struct nbd_diag *d)
{
	t->data_block = w->data_block == VERITY_UNSET ? 4096
						      : (uint32_t)w->data_block;
	t->hash_block = w->hash_block == VERITY_UNSET ? 4096
						      : (uint32_t)w->hash_block;
	t->data_blocks = w->data_blocks;
	t->salt_len = w->salt_len;
	memcpy(t->salt, w->salt, w->salt_len);
	t->start = at / t->hash_block;
	if (at % t->hash_block)
		return nbd_diag(d, NBD_E_MISMATCH,
				"verity: hash-offset= is not a multiple of the "
				"hash block size");
	return check_room(t, at, w->digest, room, d);
}

/* ---- the search ---- */

uint64_t verity_tree_guess(uint64_t size, const struct verity_wanted *w)
{
	uint64_t data = w->data_block == VERITY_UNSET ? 4096 : w->data_block;
	uint64_t hash = w->hash_block == VERITY_UNSET ? 4096 : w->hash_block;
	unsigned per_block = (unsigned)(hash / w->digest);
	uint64_t low = 0, high = size / data;

	/* the most data whose superblock and tree still fit behind it */
	while (low < high) {
		uint64_t n = high - (high - low) / 2;
		uint64_t at = (n * data / hash + 1) * hash; /* of the tree */
		bool fits = at <= size &&
			    tree_blocks(n, per_block) <= (size - at) / hash;

		if (fits)
			low = n;
		else
			high = n - 1;
	}
	return low * data;
}

/* ---- codes ---- */

/* VERITY_FEC_blocks() of cryptsetup's lib/verity/verity_fec.c */
int verity_tree_codes(struct verity_tree *t, const struct verity_wanted *w,
		      const struct verity_room *room, struct nbd_diag *d)
{
	uint64_t end =
		(room->behind ? w->codes_at : room->hash) / t->hash_block;

	if (t->data_block != t->hash_block)
		return nbd_diag(d, NBD_E_MISMATCH,
				"verity: fec-device= needs blocks of data and "
				"hashes that are as large: %u and %u bytes",
				t->data_block, t->hash_block);
	if (w->codes_at % t->hash_block)
		return nbd_diag(d, NBD_E_MISMATCH,
				"verity: fec-offset= is not a multiple of the "
				"block size");
	if (end <= t->start)
		return nbd_diag(d, NBD_E_MISMATCH,
				"verity: fec-offset= is before the hash tree");
	t->codes = w->codes_at / t->hash_block;
	t->covered = t->data_blocks + (end - t->start);
	return NBD_OK;
}

/* ---- the table ---- */

static void put_options(struct nbd_out *o, const struct verity_tree *t,
			const struct verity_wanted *w, const char *codes)
{
	unsigned n =
		(*w->policy ? 1u : 0) + (w->zero ? 1u : 0) + (codes ? 8u : 0);

	if (n)
		nbd_putf(o, " %u", n);
	if (*w->policy)
		nbd_putf(o, " %s", w->policy);
	if (w->zero)
		nbd_putf(o, " ignore_zero_blocks");
	if (codes)
		nbd_putf(o,
			 " use_fec_from_device %s fec_roots %u fec_blocks %llu "
			 "fec_start %llu",
			 codes, w->roots, (unsigned long long)t->covered,
			 (unsigned long long)t->codes);
	nbd_putf(o, "\n");
}

/* Documentation/admin-guide/device-mapper/verity.rst */
int verity_tree_table(char table[VERITY_TABLE], const struct verity_tree *t,
		      const struct verity_wanted *w, const char *data,
		      const char *hash, const char *codes)
{
	struct nbd_out o = { .buf = table, .cap = VERITY_TABLE - 1 };
	char root[VERITY_HEX], salt[2 * VERITY_SALT + 1] = "-";

	verity_hex(root, w->root, w->digest);
	if (t->salt_len)
		verity_hex(salt, t->salt, t->salt_len);
	nbd_putf(&o, "0 %llu verity 1 %s %s %u %u %llu %llu %s %s %s",
		 (unsigned long long)t->data_blocks * (t->data_block / 512),
		 data, hash, t->data_block, t->hash_block,
		 (unsigned long long)t->data_blocks,
		 (unsigned long long)t->start, verity_algorithm(w), root, salt);
	put_options(&o, t, w, codes);
	table[o.len] = '\0';
	return o.cut ? NBD_E_NO_MEMORY : (int)o.len;
}
