/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A dictionary of GVariant ("GVariant Specification", 2.4 "Container types"):
 *
 *	entry 0 | pad to 8 | entry 1 | ... | the end of each entry
 *	entry: key NUL | pad to 8 | value NUL type | the end of the key
 *
 * An end is one byte, as all is no longer than 255 bytes.
 */
#include "boot/init/ostree_booted.h"

#include <string.h>

struct dictionary {
	unsigned char *p;
	size_t len;
	unsigned char ends[8];
	unsigned n;
};

static void align(struct dictionary *dict)
{
	while (dict->len % 8)
		dict->p[dict->len++] = 0;
}

static void append(struct dictionary *dict, const void *p, size_t len)
{
	memcpy(dict->p + dict->len, p, len);
	dict->len += len;
}

static void put(struct dictionary *dict, const char *key, const char *type,
		const void *value, size_t len)
{
	unsigned char end = (unsigned char)(strlen(key) + 1);

	align(dict);
	append(dict, key, end);
	align(dict);
	append(dict, value, len);
	append(dict, "", 1);
	append(dict, type, strlen(type));
	append(dict, &end, 1);
	dict->ends[dict->n++] = (unsigned char)dict->len;
}

static void put_bool(struct dictionary *dict, const char *key, bool yes)
{
	unsigned char value = yes;

	put(dict, key, "b", &value, 1);
}

size_t init_ostree_booted(const struct ostree_booted *b,
			  unsigned char file[OSTREE_BOOTED])
{
	struct dictionary dict = { .p = file };
	uint64_t place[2] = { b->dev, b->inode };

	put(&dict, "backing-root-device-inode", "(tt)", place, sizeof(place));
	put_bool(&dict, "root.transient", b->root_transient);
	put_bool(&dict, "root.transient-ro", b->root_transient_ro);
	if (b->composefs) {
		put_bool(&dict, "composefs", true);
		put_bool(&dict, "composefs.verity", false);
	}
	put_bool(&dict, "sysroot-ro", b->sysroot_ro);
	if (b->etc)
		put(&dict, "transient-etc", "s", b->etc, strlen(b->etc) + 1);
	append(&dict, dict.ends, dict.n);
	return dict.len;
}
