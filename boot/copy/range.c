/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of the source is copied. */
#include "boot/copy/copy.h"

#include <string.h>

bool copy_bytes(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	uint64_t n = 0;
	const char *p = text, *unit;
	unsigned bits = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (n > INT64_MAX / 10)
			return false;
		n = n * 10 + (unsigned)(*p - '0');
	}
	if (p == text)
		return false;
	unit = *p ? strchr(units, *p) : NULL;
	if (unit) {
		bits = 10 * (unsigned)(unit - units + 1);
		p++;
	}
	*bytes = n << bits;
	return !*p && *bytes >> bits == n && *bytes <= INT64_MAX;
}

int copy_side_range(struct side *s, uint64_t offset, uint64_t length,
		    struct nbd_diag *d)
{
	char what[48];

	if (s->is_pipe)
		return nbd_diag(d, NBD_E_USAGE,
				"%s has no size, so that no part of it can be "
				"%s",
				s->name, s->output ? "written" : "read");
	nbd_fmt(what, sizeof(what), length ? "no %llu bytes" : "nothing",
		(unsigned long long)length);
	if (offset > s->size || length > s->size - offset)
		return nbd_diag(d, NBD_E_USAGE,
				"%s ends at %llu: it has %s at offset %llu",
				s->name, (unsigned long long)s->size, what,
				(unsigned long long)offset);
	if (!length)
		length = s->size - offset;
	if ((offset | length) & (s->align - 1))
		return nbd_diag(d, NBD_E_USAGE,
				"%s has blocks of %u bytes: offset %llu and "
				"length %llu must be multiples of that",
				s->name, s->align, (unsigned long long)offset,
				(unsigned long long)length);
	s->base = offset;
	s->rest = s->size - offset - length;
	s->size = length;
	/* what is around it stays */
	s->grows = false;
	return 0;
}
