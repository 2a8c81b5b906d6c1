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

static void align(struct dictionary *v)
{
	while (v->len % 8)
		v->p[v->len++] = 0;
}

static void append(struct dictionary *v, const void *p, size_t len)
{
	memcpy(v->p + v->len, p, len);
	v->len += len;
}

static void put(struct dictionary *v, const char *key, const char *type,
		const void *value, size_t len)
{
	unsigned char end = (unsigned char)(strlen(key) + 1);

	align(v);
	append(v, key, end);
	align(v);
	append(v, value, len);
	append(v, "", 1);
	append(v, type, strlen(type));
	append(v, &end, 1);
	v->ends[v->n++] = (unsigned char)v->len;
}

static void put_bool(struct dictionary *v, const char *key, bool yes)
{
	unsigned char value = yes;

	put(v, key, "b", &value, 1);
}

size_t init_ostree_booted(const struct ostree_booted *b,
			  unsigned char file[OSTREE_BOOTED])
{
	struct dictionary v = { .p = file };
	uint64_t place[2] = { b->dev, b->inode };

	put(&v, "backing-root-device-inode", "(tt)", place, sizeof(place));
	put_bool(&v, "root.transient", b->root_transient);
	put_bool(&v, "root.transient-ro", b->root_transient_ro);
	if (b->composefs) {
		put_bool(&v, "composefs", true);
		put_bool(&v, "composefs.verity", false);
	}
	put_bool(&v, "sysroot-ro", b->sysroot_ro);
	if (b->etc)
		put(&v, "transient-etc", "s", b->etc, strlen(b->etc) + 1);
	append(&v, v.ends, v.n);
	return v.len;
}
