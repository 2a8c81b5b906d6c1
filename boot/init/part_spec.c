/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/init/part_spec.h"

#include <string.h>

int init_part_spec(struct part_spec *s, const char *word, const char *text,
		   struct nbd_diag *d)
{
	static const char names[][11] = { [PART_UUID] = "PARTUUID=",
					  [PART_NAME] = "PARTLABEL=",
					  [PART_FS_LABEL] = "LABEL=",
					  [PART_FS_UUID] = "UUID=" };

	for (unsigned i = PART_UUID; i <= PART_FS_UUID; i++) {
		size_t n = strlen(names[i]);

		if (!strncmp(text, names[i], n) && text[n]) {
			s->by = (enum part_by)i;
			s->value = text + n;
			return NBD_OK;
		}
	}
	s->by = PART_NUMBER;
	s->number = nbd_number(text, 1, 255);
	if (s->number > 0)
		return NBD_OK;
	return nbd_diag(d, NBD_E_USAGE,
			"%s=%s: neither a number from 1 to 255 nor "
			"LABEL=, UUID=, PARTLABEL= or PARTUUID=",
			word, text);
}
