/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds without TLS: refuses nbds:// URIs.  Replaces nbds.c. */
#include "boot/uefi/session.h"

int uefi_nbds_open(struct uefi_session *s, struct nbd_diag *d)
{
	for (unsigned i = 0; i < s->n_uris; i++)
		if (s->uris[i].tls)
			return nbd_diag(d, NBD_E_NOT_OFFERED,
					"nbds:// needs TLS, which this "
					"nbdboot.efi does not have");
	return NBD_OK;
}

void uefi_nbds_close(struct uefi_session *s)
{
	(void)s;
}
