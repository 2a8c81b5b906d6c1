/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of sealed credentials: what is taken is written the same again. */
#include "boot/seal/sealed.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sealed s;
	static char again[SEALED_TEXT];
	struct nbd_out o = { .buf = again, .cap = sizeof(again) };
	char *text = malloc(size);

	if (size)
		memcpy(text, data, size);
	seal_is_text((uint8_t *)text, size);
	if (seal_parse(&s, text, size)) {
		seal_put_head(&o, &s);
		seal_put_data(&o, &s);
		/* a PCR may have zeroes before its number */
		if (o.cut || o.len > size)
			abort();
	}
	free(text);
	return 0;
}
