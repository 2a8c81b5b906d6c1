/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks of clones, and what names their devices. */
#include "boot/clone/mark.h"
#include "boot/clone/spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, CLONE_MARK), again[CLONE_MARK];
	struct clone_mark m = { .device = 0 };
	struct clone_spec s;
	struct nbd_diag d;

	if (size)
		memcpy(text, data, size < CLONE_MARK ? size : CLONE_MARK);
	/* of any device that it names */
	if (clone_mark_parse(&m, text, 81920, &d) == NBD_E_MISMATCH)
		clone_mark_parse(&m, text, m.device, &d);
	if (!clone_mark_parse(&m, text, 81920, &d)) {
		clone_mark_print(&m, again);
		if (memcmp(text, again, CLONE_MARK) != 0)
			abort();
	}
	text[CLONE_MARK - 1] = '\0';
	if (!clone_spec_parse(&s, text, &d) && !s.device[0])
		abort();
	free(text);
	return 0;
}
