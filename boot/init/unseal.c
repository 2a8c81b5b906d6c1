/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/init/unseal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/file.h"
#include "port/linux/module.h"
#include "port/linux/tpm_device.h"

/* Those of a TPM without a driver in the kernel, as on ARM. */
static void load_drivers(void)
{
	static const char *const names[] = { "tpm_crb", "tpm_tis" };

	for (size_t i = 0; i < 2 && access(TPM_DEVICE, F_OK); i++)
		mod_load(names[i], "", NULL);
}

long init_unseal(struct unsealing *u, const char *name, uint8_t *p, long len,
		 struct nbd_diag *d)
{
	long rc;

	if (!seal_is_text(p, (size_t)len))
		return len;
	load_drivers();
	rc = tpm_open(&u->tpm, NULL, d);
	if (rc)
		return rc;
	rc = seal_open(&u->s, &u->tpm, name, (char *)p, (size_t)len, d);
	if (rc > 0)
		memcpy(p, u->s.data, (size_t)rc);
	tpm_close(&u->tpm);
	return rc;
}

void init_note_pcrs(struct unsealing *u)
{
	char text[SEAL_SEEN_MAX];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	struct nbd_diag d;
	int rc;

	if (access(TPM_DEVICE, F_OK) || tpm_open(&u->tpm, NULL, &d))
		return;
	rc = seal_note_pcrs(&u->tpm, &o, &d);
	if (rc)
		boot_note("%s", d.text);
	else if (file_save(AT_FDCWD, "/run/" SEAL_SEEN, o.buf, o.len))
		boot_note("write /run/" SEAL_SEEN ": %s", strerror(errno));
	tpm_close(&u->tpm);
}
