/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/verity/path.h"

#include <string.h>

#include "boot/verity/shape.h"
#include "port/mbedtls/digest.h"

/* ---- the table ---- */

/* Words of a line, separated by single blanks. */
struct words {
	const char *p;
	bool bad;
};

/* The next word, and its length. */
static const char *word(struct words *w, size_t *len)
{
	const char *p = w->p;

	*len = strcspn(p, " \n");
	w->bad |= !*len;
	w->p += *len + (p[*len] == ' ');
	return p;
}

static uint64_t number(struct words *w, uint64_t most)
{
	size_t len;
	const char *p = word(w, &len), *end = p + len;
	uint64_t n = 0;

	if (!nbd_take_number(&p, end, most, &n) || p != end)
		w->bad = true;
	return n;
}

static void device(struct words *w, char to[VERITY_DEVICE])
{
	size_t len;
	const char *p = word(w, &len);

	w->bad |= len >= VERITY_DEVICE;
	nbd_fmt(to, VERITY_DEVICE, "%.*s", (int)len, p);
}

static void expect(struct words *w, const char *text)
{
	size_t len;
	const char *p = word(w, &len);

	w->bad |= len != strlen(text) || memcmp(p, text, len) != 0;
}

static unsigned bytes(struct words *w, uint8_t *to, size_t most)
{
	size_t len;
	const char *p = word(w, &len);
	int n = len == 1 && *p == '-' ? 0 : verity_unhex(to, most, p, len);

	w->bad |= n < 0;
	return n < 0 ? 0 : (unsigned)n;
}

static bool is_block(uint32_t n)
{
	return n >= 512 && n <= VERITY_BLOCK && !(n & (n - 1));
}

int verity_map_parse(struct verity_map *m, const char *table,
		     struct nbd_diag *d)
{
	struct words w = { .p = table };
	struct verity_tree *t = &m->tree;
	size_t algorithm;

	memset(m, 0, sizeof(*m));
	expect(&w, "0");
	number(&w, INT64_MAX);
	expect(&w, "verity");
	expect(&w, "1");
	device(&w, m->data);
	device(&w, m->hash);
	t->data_block = (uint32_t)number(&w, VERITY_BLOCK);
	t->hash_block = (uint32_t)number(&w, VERITY_BLOCK);
	t->data_blocks = number(&w, INT64_MAX / VERITY_BLOCK);
	t->start = number(&w, INT64_MAX / VERITY_BLOCK);
	if (!strncmp(word(&w, &algorithm), "sha", 3))
		m->digest = bytes(&w, m->root, VERITY_DIGEST);
	t->salt_len = bytes(&w, t->salt, VERITY_SALT);
	w.bad |= m->digest != 32 && m->digest != 64;
	w.bad |= !is_block(t->data_block) || !is_block(t->hash_block);
	return !w.bad && t->data_blocks
		       ? NBD_OK
		       : nbd_diag(d, NBD_E_MISMATCH,
				  "not a table of verity that can be checked");
}

/* ---- the path ---- */

struct path {
	const struct verity_map *m;
	verity_read *read;
	void *ctx;
	struct verity_block *wrong;
	struct nbd_diag *d;
	uint8_t want[VERITY_DIGEST], block[VERITY_BLOCK];
};

/* Reads a block, which has to be what is wanted. */
static int take(struct path *p, bool hash, uint64_t n)
{
	const struct verity_tree *t = &p->m->tree;
	size_t len = hash ? t->hash_block : t->data_block;
	const struct digest_piece salt = { t->salt, t->salt_len };
	const struct digest_piece block = { p->block, len };
	uint8_t is[VERITY_DIGEST];
	int rc = p->read(p->ctx, hash, n * len, p->block, len, p->d);

	if (rc)
		return rc;
	digest_sha2(is, p->m->digest, salt, block);
	if (!memcmp(is, p->want, p->m->digest))
		return NBD_OK;
	*p->wrong = (struct verity_block){ hash, n };
	return NBD_E_MISMATCH;
}

/* The first block of data below a block of the tree, and its level. */
static bool find(const struct verity_map *m, uint64_t block, uint64_t *data,
		 unsigned *level)
{
	for (*level = 0; *level < verity_levels(m); ++*level) {
		uint64_t first = verity_level_first(m, *level);

		if (block < first ||
		    block - first >= verity_level_blocks(m, *level))
			continue;
		*data = (block - first) << (verity_fan_bits(m) * (*level + 1));
		return true;
	}
	return false;
}

int verity_path_check(const struct verity_map *m, const struct verity_block *b,
		      verity_read *read, void *ctx, struct verity_block *wrong,
		      struct nbd_diag *d)
{
	struct path p = { m, read, ctx, wrong, d, { 0 }, { 0 } };
	unsigned bits = verity_fan_bits(m), last = 0;
	uint64_t n = b->number;
	int rc = NBD_OK;

	if (b->hash ? !find(m, b->number, &n, &last) : n >= m->tree.data_blocks)
		return nbd_diag(d, NBD_E_RANGE, "there is no such block");
	memcpy(p.want, m->root, m->digest);
	for (unsigned i = verity_levels(m); !rc && i > last; i--) {
		uint64_t entry = verity_up(n, bits * (i - 1)) &
				 (((uint64_t)1 << bits) - 1);

		rc = take(&p, true,
			  verity_level_first(m, i - 1) +
				  verity_up(n, bits * i));
		memcpy(p.want, p.block + entry * m->digest, m->digest);
	}
	return rc || b->hash ? rc : take(&p, false, n);
}
