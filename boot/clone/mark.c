/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	nbdboot-clone 1
 *	state complete
 *	device 4194304
 *	image 2097152 0 w-0123456789abcdef
 *	sum 0123456789abcdef
 *
 * The sum is 64-bit FNV-1a: it guards against mistakes alone.
 */
#include "boot/clone/mark.h"

#include <string.h>

#include "port/fnv1a.h"

#define MAGIC "nbdboot-clone "
/* Where it begins: a multiple of any block. */
#define ALIGN 4096u

static const char *const states[] = { "copying", "complete" };

uint64_t clone_mark_at(uint64_t size)
{
	return size < 2 * CLONE_TAIL ? 0 : (size - CLONE_TAIL) / ALIGN * ALIGN;
}

void clone_mark_print(const struct clone_mark *m, char text[CLONE_MARK])
{
	uint64_t sum = NBD_FNV1A;
	int len;

	memset(text, 0, CLONE_MARK);
	len = nbd_fmt(text, CLONE_MARK,
		      MAGIC "1\nstate %s\ndevice %llu\nimage %llu %u %s\n",
		      states[m->state], (unsigned long long)m->device,
		      (unsigned long long)m->sectors, m->part, m->image);
	for (int i = 0; i < len; i++)
		sum = nbd_fnv1a(sum, (unsigned char)text[i]);
	nbd_fmt(text + len, CLONE_MARK - (size_t)len, "sum %016llx\n",
		(unsigned long long)sum);
}

/* Moves *p past the text. */
static bool skip(const char **p, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*p, text, len) != 0)
		return false;
	*p += len;
	return true;
}

static bool number(const char **p, const char *end, uint64_t max, uint64_t *n)
{
	return *p < end && nbd_take_number(p, end, max, n);
}

static bool take(struct clone_mark *m, const char *p, const char *end)
{
	uint64_t part;
	size_t len;

	if (!skip(&p, MAGIC "1\nstate "))
		return false;
	m->state = skip(&p, states[CLONE_COMPLETE]) ? CLONE_COMPLETE
						    : CLONE_COPYING;
	if (m->state == CLONE_COPYING && !skip(&p, states[CLONE_COPYING]))
		return false;
	if (!skip(&p, "\ndevice ") ||
	    !number(&p, end, UINT64_MAX / 512, &m->device) ||
	    !skip(&p, "\nimage ") ||
	    !number(&p, end, UINT64_MAX / 512, &m->sectors) || !skip(&p, " ") ||
	    !number(&p, end, 255, &part) || !skip(&p, " "))
		return false;
	m->part = (unsigned)part;
	len = strcspn(p, NBD_BLANKS);
	if (!len || len >= sizeof(m->image))
		return false;
	nbd_fmt(m->image, sizeof(m->image), "%.*s", (int)len, p);
	return true;
}

int clone_mark_parse(struct clone_mark *m, const char text[CLONE_MARK],
		     uint64_t device, struct nbd_diag *d)
{
	char copy[CLONE_MARK], again[CLONE_MARK];

	if (strncmp(text, MAGIC, strlen(MAGIC)) != 0)
		return nbd_diag(d, NBD_E_NOT_FOUND, "it is not a clone");
	memcpy(copy, text, sizeof(copy));
	copy[sizeof(copy) - 1] = '\0';
	/* one text for each mark: whatever differs is damaged */
	if (take(m, copy, copy + sizeof(copy) - 1)) {
		clone_mark_print(m, again);
		if (memcmp(text, again, sizeof(again)) != 0)
			m->sectors = 0;
	} else {
		m->sectors = 0;
	}
	if (!m->sectors || m->device != device ||
	    m->sectors > clone_mark_at(device * 512) / 512)
		return nbd_diag(d, NBD_E_MISMATCH,
				"its mark of a clone is damaged, or of another "
				"version or device");
	return NBD_OK;
}
