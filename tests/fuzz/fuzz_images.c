/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of images of a server, and what an export keeps of them. */
#include "boot/images/tries.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool yes)
{
	if (!yes)
		abort();
}

static void parse_list(const char *text, size_t size)
{
	static const struct images_machine me = {
		"52:54:00:12:34:56", "4c4c4544-0044-4810-8031-c2c04f4d3332"
	};
	static struct images_list l;
	struct nbd_diag d;

	if (images_parse(&l, text, size, &me, &d)) {
		must(!l.n && *d.text);
		return;
	}
	must(l.n <= IMAGES_MAX);
	for (unsigned i = 0; i < l.n; i++) {
		must(!strncmp(l.uri[i], "nbd", 3) &&
		     strnlen(l.uri[i], IMAGES_URI) < IMAGES_URI &&
		     !l.uri[i][strspn(l.uri[i],
				      "!\"#$%&'()*+,-./0123456789:;<=>"
				      "?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
				      "abcdefghijklmnopqrstuvwxyz{|}~")]);
		must(strnlen(l.rev[i], sizeof(l.rev[i])) < sizeof(l.rev[i]));
		must(images_id(l.uri[i], l.rev[i]));
	}
}

static void parse_tries(const char *text, size_t size)
{
	char padded[IMAGES_TEXT] = "", back[IMAGES_TEXT];
	struct images_tries t;

	memcpy(padded, text, size < IMAGES_TEXT ? size : IMAGES_TEXT);
	if (images_tries_parse(&t, padded)) {
		must(!t.n && !t.good);
		return;
	}
	must(t.n <= IMAGES_MAX);
	images_tries_print(&t, back);
	/* digits may be in upper case, and zeroes are nothing */
	must(!*padded || !strcasecmp(padded, back));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);

	if (size)
		memcpy(copy, data, size);
	parse_list(copy, size);
	parse_tries(copy, size);
	free(copy);
	return 0;
}
