/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of nbdboot.cache=: those of a clone, without some of them. */
#include "boot/cache/cache_spec.h"

#include <string.h>

#define IMAGE ",image="

/* The list of a head has it as a word. */
static bool is_name(const char *p, size_t len)
{
	if (!len || len >= CACHE_NAME)
		return false;
	for (; len; len--, p++)
		if (*p <= ' ' || *p > '~' || *p == '\\')
			return false;
	return true;
}

int cache_spec_parse(struct cache_spec *s, const char *text, struct nbd_diag *d)
{
	const char *image = strstr(text, IMAGE);
	char rest[CACHE_WORD];
	size_t len = 0;
	int rc;

	if (strlen(text) >= sizeof(rest))
		return nbd_diag(d, NBD_E_USAGE, "%s: it is too long", text);
	s->image[0] = '\0';
	nbd_fmt(rest, sizeof(rest), "%s", text);
	if (image) {
		rest[image - text] = '\0';
		image += sizeof(IMAGE) - 1;
		len = strcspn(image, ",");
		if (!is_name(image, len))
			return nbd_diag(d, NBD_E_USAGE,
					"%s: no name of an image, or one with "
					"%u characters or more",
					text, CACHE_NAME);
		nbd_fmt(s->image, sizeof(s->image), "%.*s", (int)len, image);
		memmove(rest + strlen(rest), image + len,
			strlen(image + len) + 1);
	}
	rc = clone_spec_parse(&s->to, rest, d);
	if (!rc && (s->to.again || s->to.rate))
		rc = nbd_diag(d, NBD_E_USAGE,
			      "%s: not \"erase\", or \"image=\" with its name",
			      text);
	return rc;
}
