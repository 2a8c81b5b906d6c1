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

struct sealing *cli_sealing_begin(struct cli_call *call, int *rc)
{
	const struct sealing_options *o = call->options;
	const char *name = call->words[0];
	struct sealing *w;

	if (cli_sealing_which(name) < 0) {
		*rc = cli_usage(call->program,
				"%s is no credential of nbdboot: "
				"nbdboot.tls-key, -cert, -ca or -psk",
				name);
		return NULL;
	}
	w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w == MAP_FAILED) {
		*rc = nbd_diag(&call->d, NBD_E_NO_MEMORY, "no memory");
		return NULL;
	}
	*rc = tpm_open(&w->tpm, o->tpm, &call->d);
	if (!*rc)
		return w;
	cli_sealing_end(w);
	return NULL;
}

void cli_sealing_end(struct sealing *w)
{
	tpm_close(&w->tpm);
	creds_wipe();
	explicit_bzero(w, sizeof(*w));
	munmap(w, sizeof(*w));
}
