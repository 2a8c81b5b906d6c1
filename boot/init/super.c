/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Superblocks: a table of magic numbers, and of the offsets of label and UUID,
 * which are those of the kernel's on-disk headers.
 */
#include "boot/init/super.h"

#include <string.h>
#include <strings.h>

#include "boot/init/gpt.h"
#include "port/le.h"

/* A block is read once for all entries that share it. */
#define BLOCK 1024

static const struct kind {
	const char *type, *magic;
	uint32_t base; /* of the block, in bytes */
	uint16_t at;   /* of the magic in it */
	uint16_t uuid, label;
	uint8_t magic_len;
	uint8_t uuid_len; /* 16, 4 (vfat) or 0 */
	uint16_t label_len;
} kinds[] = {
	{ "xfs", "XFSB", 0, 0, 32, 108, 4, 16, 12 },
	{ "squashfs", "hsqs", 0, 0, 0, 0, 4, 0, 0 },
	{ "ext4", "\x53\xef", 1024, 0x38, 0x68, 0x78, 2, 16, 16 },
	{ "f2fs", "\x10\x20\xf5\xf2", 1024, 0, 108, 124, 4, 16, 512 },
	{ "erofs", "\xe2\xe1\xf5\xe0", 1024, 0, 48, 64, 4, 16, 16 },
	{ "btrfs", "_BHRfS_M", 65536, 0x40, 0x20, 0x12b, 8, 16, 256 },
	{ "vfat", "FAT32   ", 0, 82, 67, 71, 8, 4, 11 },
	{ "vfat", "FAT1", 0, 54, 39, 43, 4, 4, 11 },
};

const char *init_super_type(unsigned i)
{
	return i < sizeof(kinds) / sizeof(kinds[0]) ? kinds[i].type : NULL;
}

static char *put_hex(char *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	*out++ = hex[c >> 4];
	*out++ = hex[c & 15];
	return out;
}

/* Writes the bytes in this order, with '-' before those that the mask names. */
static void put_uuid(char *out, const unsigned char *p, const char *order,
		     unsigned dashes)
{
	for (; *order; order++, dashes >>= 1) {
		if (dashes & 1)
			*out++ = '-';
		out = put_hex(out, p[*order - 'a']);
	}
	*out = '\0';
}

#define UUID_DASHES (1u << 4 | 1u << 6 | 1u << 8 | 1u << 10)
#define IN_ORDER    "abcdefghijklmnop"
/* A GPT has the first three fields of a GUID in little-endian order. */
#define GUID_ORDER  "dcbafehgijklmnop"

static bool known(const struct kind *k, const unsigned char *b)
{
	/* an external journal of ext4 is no file system: INCOMPAT 0x08 */
	if (!strcmp(k->type, "ext4") && (b[0x60] & 0x08))
		return false;
	/* FAT's words may survive in a block that now holds something else */
	if (!strcmp(k->type, "vfat") && (b[510] != 0x55 || b[511] != 0xaa))
		return false;
	return !memcmp(b + k->at, k->magic, k->magic_len);
}

/* Little-endian.  What is no ASCII ends it: no label is half of a name. */
static size_t utf16(char *to, const unsigned char *p, size_t n)
{
	size_t len = 0;

	while (2 * len < n && p[2 * len] && p[2 * len] < 0x80 &&
	       !p[2 * len + 1] && len < 255) {
		to[len] = (char)p[2 * len];
		len++;
	}
	return 2 * len < n && (p[2 * len] || p[2 * len + 1]) ? 0 : len;
}

static void fill(struct super *s, const struct kind *k, const unsigned char *b)
{
	size_t len = strnlen((const char *)b + k->label, k->label_len);

	s->type = k->type;
	if (k->label_len == 512)
		len = utf16(s->label, b + k->label, 512);
	else
		memcpy(s->label, b + k->label, len);
	/* FAT pads with blanks, and "NO NAME" means no label */
	while (k->uuid_len == 4 && len && s->label[len - 1] == ' ')
		len--;
	s->label[len] = '\0';
	if (k->uuid_len == 4 && !strcmp(s->label, "NO NAME"))
		s->label[0] = '\0';
	if (k->uuid_len == 4)
		put_uuid(s->uuid, b + k->uuid, "dcba", 1u << 2);
	else if (k->uuid_len)
		put_uuid(s->uuid, b + k->uuid, IN_ORDER, UUID_DASHES);
}

bool init_super_is_again(const struct super *s, char first[SUPER_UUID])
{
	bool is_first = !first[0];

	if (strcmp(s->type, "btrfs") != 0)
		return false;
	if (is_first)
		memcpy(first, s->uuid, SUPER_UUID);
	return !is_first && !strcmp(first, s->uuid);
}

int init_super_read(struct super *s, int fd)
{
	unsigned char block[BLOCK];
	uint32_t base = ~0u;
	size_t i;
	int rc = 0;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct kind *k = &kinds[i];

		if (k->base != base) {
			base = k->base;
			rc = init_super_bytes(fd, block, sizeof(block), base);
		}
		if (rc < 0)
			return rc;
		if (rc > 0 && known(k, block)) {
			fill(s, k, block);
			return NBD_OK;
		}
	}
	return NBD_E_NOT_FOUND;
}

static int by_gpt(const struct gpt *g, const char *uuid)
{
	struct gpt_entry e;
	char text[37];

	for (unsigned i = 0; i < g->n; i++) {
		int rc = init_gpt_read(g, i, &e);

		if (rc < 0)
			return rc;
		put_uuid(text, e.uuid, GUID_ORDER, UUID_DASHES);
		if (rc && !strcasecmp(text, uuid))
			return (int)i + 1;
	}
	return NBD_E_NOT_FOUND;
}

int init_super_partuuid(int fd, uint32_t sector, const char *uuid)
{
	unsigned char block[512] = { 0 };
	struct gpt g;
	char text[16];
	unsigned i;
	int rc = init_gpt_open(&g, fd, sector);

	if (!rc)
		return by_gpt(&g, uuid);
	if (rc == NBD_E_NOT_FOUND)
		rc = init_super_bytes(fd, block, sizeof(block), 0);
	if (rc < 0)
		return rc;
	if (rc == 0 || block[510] != 0x55 || block[511] != 0xaa)
		return NBD_E_NOT_FOUND;
	nbd_fmt(text, sizeof(text), "%08x", le32(block + 440));
	if (strncasecmp(text, uuid, 8) != 0 || uuid[8] != '-')
		return NBD_E_NOT_FOUND;
	/* the kernel prints the number in hex, two digits */
	for (i = 1; i < 256; i++) {
		nbd_fmt(text, sizeof(text), "%02x", i);
		if (!strcasecmp(text, uuid + 9))
			return (int)i;
	}
	return NBD_E_NOT_FOUND;
}
