/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that name files for TLS, with the letters of gnbd(8). */
#include "boot/cli/cli.h"

const struct cli_option cli_tls_options[] = {
	{ "ca", 'A', "FILE", "certificates of the CAs to trust (the system's)",
	  CLI_FIELD(struct tls_files, ca) },
	{ "cert", 'C', "FILE", "our own certificate, if the server wants one",
	  CLI_FIELD(struct tls_files, cert) },
	{ "key", 'K', "FILE", "the private key of that certificate",
	  CLI_FIELD(struct tls_files, key) },
	{ 0 },
};
