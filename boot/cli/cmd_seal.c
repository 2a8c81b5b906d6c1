/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot seal: a credential that only this machine's TPM gives back. */
#include "boot/cli/sealing.h"
#include "boot/words/credential.h"
#include "port/credentials.h"
#include "port/linux/file.h"

#include <fcntl.h>

/* The PCRs that --pcrs names, as init found them. */
static int choose_pcrs(struct cli_call *call, struct sealing *sealing)
{
	const struct sealing_options *o = call->options;
	char seen[SEAL_SEEN_MAX];

	sealing->s.pcrs.mask = o->pcrs ? seal_parse_pcrs(o->pcrs) : SEAL_PCRS;
	if (!sealing->s.pcrs.mask)
		return cli_usage("seal", "%s is no list of PCRs, such as 7,11",
				 o->pcrs);
	file_read(AT_FDCWD, "/run/" SEAL_SEEN, seen, sizeof(seen));
	/* of another TPM it tells nothing */
	return seal_read_pcrs(&sealing->tpm, &sealing->s.pcrs,
			      o->tpm ? "" : seen, &call->d);
}

static int seal(struct cli_call *call, struct sealing *sealing)
{
	const char *name = call->words[0], *path = call->words[1];
	int which = cli_sealing_which(name);
	struct nbd_out o = { .buf = sealing->text,
			     .cap = sizeof(sealing->text) };
	char *p;
	int len, rc = choose_pcrs(call, sealing);

	if (rc)
		return rc;
	len = creds_read(path, which >= CREDENTIAL_KEY, &p, &call->d);
	if (len < 0)
		return len;
	if (!boot_credential_plausible((unsigned)which, (uint8_t *)p,
				       (size_t)len))
		return nbd_diag(&call->d, NBD_E_CREDENTIAL, "%s: it is no %s",
				path,
				which == CREDENTIAL_PSK ? "line USER:HEXKEY"
							: "PEM text");
	nbd_fmt(sealing->s.name, sizeof(sealing->s.name), "%s", name);
	rc = seal_make(&sealing->s, &sealing->tpm, (uint8_t *)p, (size_t)len,
		       &o, &call->d);
	if (!rc)
		nbd_put(&cli_out, o.buf, o.len);
	return rc;
}

static int run(struct cli_call *call)
{
	return cli_sealing_run(call, "seal", seal);
}

static const struct cli_option options[] = {
	{ .name = "pcrs",
	  .letter = 'p',
	  .value = "LIST",
	  .help = "the PCRs that must not change (default: 7)",
	  CLI_FIELD(struct sealing_options, pcrs) },
	{ .name = NULL, .more = cli_tpm_options },
};

const struct command cmd_seal = {
	.name = "seal",
	.group = CLI_SEAL,
	.summary = "print a credential that only this machine's TPM opens",
	.help = "The PCRs are taken as nbdboot init found them.\n",
	.operands = { 2, 2, { "NAME", "FILE" } },
	.options = options,
	.run = run,
};
