/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdtab(5): lines "DEVICE HOST EXPORT [OPTION[=VALUE],...]".  HOST may be a
 * URI, with "-" for EXPORT.  The options have our names as well.
 */
#include "boot/cli/args.h"
#include "boot/cli/nbd_client.h"
#include "port/linux/nbdk.h"

#include <string.h>

#define FIELD(field) CLI_FIELD(struct cli_nbd_client, field)
#define SECONDS	     .max = INT32_MAX
#define COUNT	     .min = 1, .max = CONFIG_PORT_MAX_CONNECTIONS
#define BLOCK	     .min = 512, .max = 4096

static const struct cli_option options[] = {
	{ .name = "bs", FIELD(to.at.block_size), BLOCK },
	{ .name = "block-size", FIELD(to.at.block_size), BLOCK },
	{ .name = "conns", FIELD(to.at.b.connections), COUNT },
	{ .name = "connections", FIELD(to.at.b.connections), COUNT },
	{ .name = "timeout", FIELD(to.at.io_timeout), SECONDS },
	{ .name = "dead-timeout", FIELD(to.at.b.dead_timeout), SECONDS },
	{ .name = "port", FIELD(to.server.port), .min = 1, .max = 65535 },
	{ .name = "swap", FIELD(to.at.b.swap) },
	{ .name = "read-only", FIELD(to.at.read_only) },
	{ .name = "readonly", FIELD(to.at.read_only) },
	{ .name = "persist", FIELD(persist) },
	{ .name = "unix", FIELD(is_unix) },
	{ .name = "tls", FIELD(tls) },
	{ .name = "cacertfile", FIELD(to.server.files.ca) },
	{ .name = "ca", FIELD(to.server.files.ca) },
	{ .name = "certfile", FIELD(to.server.files.cert) },
	{ .name = "cert", FIELD(to.server.files.cert) },
	{ .name = "keyfile", FIELD(to.server.files.key) },
	{ .name = "key", FIELD(to.server.files.key) },
	{ .name = "tlshostname", FIELD(tls_hostname) },
	{ .name = "priority", FIELD(priority) },
	{ .name = "no_optgo", FIELD(to.at.b.no_go) },
	{ .name = "preinit", FIELD(preinit) },
	{ .name = "sdp", FIELD(sdp) },
	{ 0 },
};

static const struct command named = { .name = "nbd-client",
				      .options = options };

int cli_nbdtab_option(struct cli_nbd_client *client, const char *word)
{
	char *none = NULL;
	struct cli_parser p = { .c = &named,
				.argv = &none,
				.options = (char *)client,
				.dashes = "",
				.name = word,
				.len = strcspn(word, "=") };
	size_t base = 0;

	if (!cli_current(&p, &base))
		return NBD_E_NOT_FOUND;
	return cli_take_name(&p, word[p.len] ? word + p.len + 1 : NULL)
		       ? NBD_E_USAGE
		       : 0;
}

/* Cuts off what precedes the first of the characters in `ends`. */
static char *cut(char **rest, const char *ends)
{
	char *word = *rest;
	size_t len = strcspn(word, ends);

	*rest = word + len + (word[len] != '\0');
	word[len] = '\0';
	return word;
}

/* The next word of a line; NULL: there are no more. */
static char *next_word(char **line)
{
	*line += strspn(*line, " \t\r");
	return **line ? cut(line, " \t\r") : NULL;
}

/* An unknown option is reported, unless it begins with "_". */
static int take_options(struct cli_nbd_client *client, char *list,
			struct nbd_diag *d)
{
	int err = 0;

	while (*list && err != NBD_E_USAGE) {
		const char *word = cut(&list, ",");

		err = cli_nbdtab_option(client, word);
		if (err == NBD_E_NOT_FOUND && word[0] != '_')
			cli_usage("nbdtab",
				  "unknown option %s (it has no effect)", word);
	}
	return err == NBD_E_USAGE ? nbd_diag(d, err, "wrong option") : 0;
}

static int take_line(struct cli_nbd_client *client, char *line,
		     struct nbd_diag *d)
{
	char *host = next_word(&line), *name = next_word(&line);
	char *list = next_word(&line), *rest;

	if (!name)
		return nbd_diag(d, NBD_E_USAGE,
				"not \"DEVICE HOST EXPORT [OPTION,...]\"");
	/* a comment may stand in place of the options, too */
	if (list && *list == '#')
		list = NULL;
	rest = list ? next_word(&line) : NULL;
	if (rest && *rest != '#')
		return nbd_diag(d, NBD_E_USAGE,
				"unexpected text behind the options: %s", rest);
	client->host = host;
	client->to.server.name = strcmp(name, "-") ? name : NULL;
	return list ? take_options(client, list, d) : 0;
}

int cli_nbdtab_find(struct cli_nbd_client *client, char *text,
		    struct nbd_diag *d)
{
	int index = client->to.at.index;

	for (unsigned n = 1; *text; n++) {
		char *line = cut(&text, "\n");
		const char *device = next_word(&line);
		int err;

		if (!device || nbdk_parse_name(device) != index)
			continue;
		err = take_line(client, line, d);
		return err ? nbd_diag_prefix(d, err, "line %u", n) : 0;
	}
	return nbd_diag(d, NBD_E_NOT_FOUND, "no line for nbd%d", index);
}
