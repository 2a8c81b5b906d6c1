/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/cli/sealing.h"

#include <string.h>
#include <sys/mman.h>

#include "boot/words/credential.h"
#include "port/credentials.h"
#include "port/linux/tpm_device.h"

const struct cli_option cli_tpm_options[] = {
	{ .name = "tpm",
	  .letter = 'T',
	  .value = "PATH",
	  .help = "the TPM, or its socket (default: " TPM_DEVICE ")",
	  CLI_FIELD(struct sealing_options, tpm) },
	{ .name = NULL },
};

int cli_sealing_which(const char *name)
{
	for (int i = 0; i < CREDENTIALS; i++)
		if (!strcmp(name, boot_credential_names[i].name))
			return i;
	return -1;
}

int cli_sealing_run(struct cli_call *call, const char *command,
		    int (*work)(struct cli_call *call, struct sealing *w))
{
	const struct sealing_options *o = call->options;
	struct sealing *w;
	int rc;

	if (cli_sealing_which(call->words[0]) < 0)
		return cli_usage(command,
				 "%s is no credential of nbdboot: "
				 "nbdboot.tls-key, -cert, -ca or -psk",
				 call->words[0]);
	w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w == MAP_FAILED)
		return nbd_diag(&call->d, NBD_E_NO_MEMORY, "no memory");
	rc = tpm_open(&w->tpm, o->tpm, &call->d);
	if (!rc)
		rc = work(call, w);
	tpm_close(&w->tpm);
	creds_wipe();
	explicit_bzero(w, sizeof(*w));
	munmap(w, sizeof(*w));
	return rc;
}
