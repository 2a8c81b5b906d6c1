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
		    int (*work)(struct cli_call *call, struct sealing *sealing))
{
	const struct sealing_options *o = call->options;
	struct sealing *sealing;
	int rc;

	if (cli_sealing_which(call->words[0]) < 0)
		return cli_usage(command,
				 "%s is no credential of nbdboot: "
				 "nbdboot.tls-key, -cert, -ca or -psk",
				 call->words[0]);
	sealing = mmap(NULL, sizeof(*sealing), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sealing == MAP_FAILED)
		return nbd_diag(&call->d, NBD_E_NO_MEMORY, "no memory");
	rc = tpm_open(&sealing->tpm, o->tpm, &call->d);
	if (!rc)
		rc = work(call, sealing);
	tpm_close(&sealing->tpm);
	creds_wipe();
	explicit_bzero(sealing, sizeof(*sealing));
	munmap(sealing, sizeof(*sealing));
	return rc;
}
