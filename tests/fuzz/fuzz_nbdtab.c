/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdtab, and the same bytes as the words of nbd-client's command line. */
#include "boot/cli/nbd_client.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The messages would be most of the output. */
int __wrap_cli_usage(const char *command, const char *fmt, ...);

int __wrap_cli_usage(const char *command, const char *fmt, ...)
{
	(void)command, (void)fmt;
	return CLI_USAGE;
}

static void table(char *text)
{
	struct cli_nbd_client o = { .to.at.index = 0 };
	struct nbd_diag d;

	if (cli_nbdtab_find(&o, text, &d))
		return;
	if (!o.host || o.to.server.port > 65535 || strpbrk(o.host, " \t\n"))
		abort();
}

static void words(char *text)
{
	struct cli_nbd_client o = { .list = false };
	struct nbd_diag d;
	char *argv[WORDS + 2] = { "nbd-client" };
	int n = 1, verb;

	while (n <= WORDS && (argv[n] = strsep(&text, "\n")))
		n++;
	argv[n < WORDS + 1 ? n : WORDS + 1] = NULL;
	verb = cli_nbd_client_parse(&o, argv, &d);
	if ((verb == CLI_NBD_CONNECT || verb == CLI_NBD_LIST) && !o.host)
		abort();
	if (verb == CLI_NBD_CONNECT)
		cli_nbd_client_check(&o, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	table(text);
	memcpy(text, data, size);
	text[size] = '\0';
	words(text);
	free(text);
	return 0;
}
