/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.prefetch=nbd://HOST/EXPORT: a list that an export holds, one for all
 * machines that boot an image.
 */
#include "boot/init/prefetch.h"

#include "boot/images/images_text.h"
#include "boot/init/steps.h"

int init_prefetch_ask(struct prefetch_list *l, const struct boot *b,
		      const char *uri, struct nbd_diag *d)
{
	/* of a child process; too large for a stack */
	static struct root_spec r;
	static char text[PREFETCH_FILE + 1];
	static struct images_text t;
	int rc = init_expand_export(&r, b, uri, d);

	if (!rc)
		rc = images_text_first(&t, r.uri, r.uris, text, sizeof(text),
				       d);
	if (rc >= 0)
		rc = prefetch_parse(l, text, (size_t)rc, d);
	return rc ? nbd_diag_prefix(d, rc, "%s", uri) : NBD_OK;
}
