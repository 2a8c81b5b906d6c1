/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS tables of any bytes: no credential has more bytes than it may. */
#include "boot/words/credential.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *tables = malloc(size), *to = malloc(32);

	if (size)
		memcpy(tables, data, size);
	for (unsigned i = 0; i < CREDENTIALS; i++) {
		long n = boot_credential_find(i, tables, size, to, 32);

		if (n < -1 || n > 32)
			abort();
		if (n > 0)
			boot_credential_plausible(i, to, (size_t)n);
	}
	free(to);
	free(tables);
	return 0;
}
