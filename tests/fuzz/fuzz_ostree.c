/* SPDX-License-Identifier: BSD-2-Clause */
/* prepare-root.conf of an image. */
#include "boot/init/ostree_config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ostree_config c = { 0 };
	struct nbd_diag d = { "" };
	char *text = malloc(size + 1);
	int rc;

	same(text);
	memcpy(text, data, size);
	text[size] = '\0';
	rc = init_ostree_config(&c, text, &d);
	same(rc == 0 || (rc == NBD_E_USAGE && d.text[0]));
	same(!c.check || c.composefs == OSTREE_YES);
	same(c.readonly != OSTREE_MAYBE && c.etc_transient != OSTREE_MAYBE);
	free(text);
	return 0;
}
