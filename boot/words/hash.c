/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/words/hash.h"

#include <string.h>

#include "core/nbd_uri.h"
#include "port/sha256.h"

int boot_hash_split(char *value, const char **hash, struct nbd_diag *d)
{
	static const char key[] = ",sha256=";
	char *at, *last = NULL;
	unsigned n = 0;

	*hash = NULL;
	for (at = value; (at = strstr(at, key)); at++)
		last = at;
	if (!last)
		return NBD_OK;
	*last = '\0';
	last += sizeof(key) - 1;
	while (n < NBD_SHA256 && nbd_hex_byte(last + 2 * n) >= 0)
		n++;
	if (n < NBD_SHA256 || last[2 * n])
		return nbd_diag(d, NBD_E_USAGE,
				"sha256=%s: not 64 hexadecimal digits", last);
	*hash = last;
	return NBD_OK;
}

int boot_hash_check(const char *hash, const void *p, size_t len,
		    struct nbd_diag *d)
{
	uint8_t is[NBD_SHA256];

	nbd_sha256(is, p, len);
	for (unsigned i = 0; i < NBD_SHA256; i++)
		if (nbd_hex_byte(hash + 2 * i) != is[i])
			return nbd_diag(d, NBD_E_PERM,
					"it is not what sha256=%.16s... says",
					hash);
	return NBD_OK;
}
