/* SPDX-License-Identifier: BSD-2-Clause */
/* What seal and unseal have in common. */
#ifndef BOOT_CLI_SEALING_H
#define BOOT_CLI_SEALING_H

#include "boot/cli/cli.h"
#include "boot/seal/seal.h"

struct sealing_options {
	const char *pcrs; /* of seal */
	const char *tpm;
};

/* --tpm */
extern const struct cli_option cli_tpm_options[];

/* The number of the credential of that name, or -1. */
int cli_sealing_which(const char *name);

/* A credential, and its text; in a mapping that nobody else sees. */
struct sealing {
	struct tpm tpm;
	struct sealed s;
	char text[SEALED_TEXT];
};

/*
 * Runs a command: checks the credential's name, opens the TPM that the options
 * name, calls `work`, and wipes all of *sealing.  Returns the exit status, or a
 * negative enum nbd_err with the reason in call->d, as `work` does.
 */
int cli_sealing_run(struct cli_call *call, const char *command,
		    int (*work)(struct cli_call *call,
				struct sealing *sealing));

#endif
