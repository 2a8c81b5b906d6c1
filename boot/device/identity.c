/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The identity of an export:
 *
 *	r33-0123456789abcdef	hash of samples up to offset 2^33
 *	w-0123456789abcdef	hash of UUIDs, or of the superblock of a file
 *				system that cannot be written to
 *
 * The hash is 64-bit FNV-1a: it guards against mistakes, not against malicious
 * servers, which could send any other data as well.
 */
#include "boot/device/identity.h"
#include "boot/words/word.h"
#include "port/fnv1a.h"

#include <string.h>

const struct word device_identity_words[] = {
	WORD("nbdboot.identity", no_identity, WORD_NO, WORD_OURS), WORD_END
};

#define SECTOR	  512u
/*
 * Samples are within whole blocks of this size, the largest of a device: which
 * ones there are does not depend on the server's minimum block size.
 */
#define BLOCK_MAX 4096u

/* Sectors that contain UUIDs; also sampled, besides the powers of two. */
static const uint32_t sectors[] = { 0, 512, 1024, 65536 };
#define SECTORS	    (sizeof(sectors) / sizeof(sectors[0]))
/* Samples are at offsets 2^FIRST_POWER to 2^LAST_POWER. */
#define FIRST_POWER 17
#define LAST_POWER  62

/* Data that stays the same while a disk is in use, by offset on the disk. */
static const struct id {
	uint32_t magic_at;
	const char *magic;
	uint32_t at, len;
} ids[] = {
	{ 512, "EFI PART", 568, 16 },	/* GPT: disk GUID */
	{ 510, "\x55\xaa", 440, 4 },	/* MBR: disk signature */
	{ 1080, "\x53\xef", 1128, 16 }, /* ext2 to ext4 */
	{ 0, "XFSB", 32, 16 },
	{ 65600, "_BHRfS_M", 65568, 16 }, /* btrfs */
	{ 82, "FAT32", 67, 4 },
	{ 54, "FAT1", 39, 4 },
	{ 0, "LUKS\xba\xbe", 168, 36 },
	/* these have no UUID, or that of every build; nothing writes to them */
	{ 0, "hsqs", 0, 96 },			 /* squashfs: superblock */
	{ 1024, "\xe2\xe1\xf5\xe0", 1024, 128 }, /* EROFS: superblock */
};

struct hash {
	uint64_t sum;
	unsigned parts;
};

static void add(struct hash *h, const unsigned char *p, size_t len)
{
	h->parts++;
	for (; len; len--)
		h->sum = nbd_fnv1a(h->sum, *p++);
}

/* Hashes the UUIDs in the sector at offset. */
static void add_ids(struct hash *h, const unsigned char *p, uint64_t offset)
{
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct id *id = &ids[i];

		if (id->magic_at >= offset && id->magic_at < offset + SECTOR &&
		    !memcmp(p + (id->magic_at - offset), id->magic,
			    strlen(id->magic)))
			add(h, p + (id->at - offset), id->len);
	}
}

/* ---- which sectors ---- */

/* Offset of the i-th sample if the last is at 2^power (0: sectors[] only). */
static uint64_t sample(unsigned i, unsigned power)
{
	if (i < SECTORS)
		return sectors[i];
	i += FIRST_POWER - SECTORS;
	return i <= power ? (uint64_t)1 << i : UINT64_MAX;
}

/* Without a last, partial block; a disk smaller than one counts whole. */
static uint64_t whole(uint64_t size)
{
	return size < BLOCK_MAX ? size : size & ~(uint64_t)(BLOCK_MAX - 1);
}

/* The highest power of two at which a whole sample fits. */
static unsigned last_power(uint64_t size)
{
	unsigned power = FIRST_POWER - 1;

	while (power < LAST_POWER && size > SECTOR &&
	       size - SECTOR >= (uint64_t)2 << power)
		power++;
	return power;
}

/* ---- reading ---- */

/*
 * Hashes the samples from *i on, as many as the buffer holds.  The server's
 * minimum block size may be larger than a sector.
 */
static int add_some(struct device_reader *r, struct conn *conn, unsigned *i,
		    unsigned power, struct hash *h, int *failed,
		    struct nbd_diag *d)
{
	const struct nbd_export *e = nbd_export(&conn->c);
	uint64_t at[CONFIG_CORE_MAX_REQS], size = whole(e->size), offset;
	struct nbd_iov v[CONFIG_CORE_MAX_REQS];
	uint32_t block = e->has_block && e->min_block > SECTOR ? e->min_block
							       : SECTOR;
	unsigned n = 0, max = sizeof(r->buf) / block;
	int err;

	for (; n < max && n < CONFIG_CORE_MAX_REQS; ++*i) {
		at[n] = sample(*i, power);
		if (at[n] == UINT64_MAX)
			break;
		offset = at[n] & ~(uint64_t)(block - 1);
		if (size < block || offset > size - block)
			continue;
		v[n] = (struct nbd_iov){ r->buf + n * block, block };
		err = device_reader_submit(conn, &v[n++], offset, d);
		if (err)
			return err;
	}
	err = device_reader_await(conn, n, failed, d);
	for (unsigned k = 0; !err && !*failed && k < n; k++) {
		const unsigned char *p = v[k].base;

		p += at[k] & (block - 1);
		if (power)
			add(h, p, SECTOR);
		else
			add_ids(h, p, at[k]);
	}
	return err;
}

/*
 * Hashes the sectors up to the sample at 2^power; with power 0 only the UUIDs.
 * *failed: the server's error reply to a read, or 0.
 */
static int read_identity(struct device_reader *r, struct conn *conn,
			 unsigned power, struct hash *h, int *failed,
			 struct nbd_diag *d)
{
	unsigned i = 0;
	int err = NBD_OK;

	*h = (struct hash){ .sum = NBD_FNV1A };
	*failed = 0;
	device_reader_begin(r, conn);
	while (!err && !*failed && sample(i, power) != UINT64_MAX)
		err = add_some(r, conn, &i, power, h, failed, d);
	return err;
}

static void print(char *text, unsigned power, const struct hash *h)
{
	char kind[8] = "w";

	if (power)
		nbd_fmt(kind, sizeof(kind), "r%u", power);
	nbd_fmt(text, DEVICE_IDENTITY_TEXT, "%s-%016llx", kind,
		(unsigned long long)h->sum);
}

int device_identity_take(struct device_reader *r, struct conn *conn,
			 bool writable, char text[DEVICE_IDENTITY_TEXT],
			 struct nbd_diag *d)
{
	uint64_t size = whole(nbd_export(&conn->c)->size);
	unsigned power = writable ? 0 : last_power(size);
	struct hash h;
	int failed, err = read_identity(r, conn, power, &h, &failed, d);

	text[0] = '\0';
	if (!err && !failed && h.parts)
		print(text, power, &h);
	return err;
}

int device_identity_check(struct device_reader *r, struct conn *conn,
			  const char *want, struct nbd_diag *d)
{
	const char *dash = strchr(want, '-');
	char text[DEVICE_IDENTITY_TEXT];
	struct hash h;
	long power = 0;
	int failed, err;

	if (dash && want[0] == 'r')
		power = nbd_numbern(want + 1, (size_t)(dash - want) - 1,
				    FIRST_POWER - 1, LAST_POWER);
	if (!dash || power < 0 || (want[0] != 'r' && want[0] != 'w'))
		return nbd_diag(d, NBD_E_PARAM, "identity=%s is not valid",
				want);
	err = read_identity(r, conn, (unsigned)power, &h, &failed, d);
	if (err)
		return err;
	if (failed)
		return nbd_diag(d, NBD_E_IO, "compare the export: %s",
				nbd_result_text(failed));
	print(text, (unsigned)power, &h);
	if (strcmp(text, want) != 0)
		return nbd_diag(d, NBD_E_MISMATCH,
				"the server has another disk image than when "
				"the device was connected (put that one back, "
				"or reboot; nbdboot.identity=0 and connect "
				"--no-identity turn this check off)");
	return NBD_OK;
}
