/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the words that name a server and an export. */
#include "boot/cli/cli.h"

#include <string.h>

const struct cli_option cli_server_options[] = {
	{ "port", 'p', "PORT", "the server's TCP port (10809)",
	  CLI_FIELD(struct cli_server, port), .min = 1, .max = 65535 },
	{ .more = cli_tls_options, .at = offsetof(struct cli_server, files) },
};

static int parse_uri(struct cli_target *t, const char *word, struct nbd_diag *d)
{
	int err;

	if (strlen(word) > CLI_URI_MAX)
		return nbd_diag(d, NBD_E_URI, "longer than %u characters",
				CLI_URI_MAX);
	err = nbd_uri_parse(&t->uri, t->buf, sizeof(t->buf), word);
	if (err == NBD_E_URI)
		nbd_diag(d, err, "%s, at \"%.*s\"", t->uri.wrong, 40,
			 word + t->uri.wrong_at);
	return err;
}

/*
 * "http" of http://host/: the word of another protocol, or a mistyped one of
 * this.  Its length; 0 if word has none.
 */
static size_t scheme_of(const char *word)
{
	size_t len = 0;

	while ((word[len] | 0x20) >= 'a' && (word[len] | 0x20) <= 'z')
		len++;
	len += strspn(word + len, "+-.abcdefghijklmnopqrstuvwxyz0123456789");
	return strncmp(word + len, "://", 3) != 0 ? 0 : len;
}

int cli_check_scheme(const char *word, struct nbd_diag *d)
{
	size_t len = nbd_is_uri(word) ? 0 : scheme_of(word);

	return len ? nbd_diag(d, NBD_E_URI,
			      "%.*s:// is not a scheme of NBD, whose URIs "
			      "begin with nbd:// or nbds://",
			      (int)(len > 40 ? 40 : len), word)
		   : NBD_OK;
}

/* A path has a slash, and a host has none. */
static int parse_host(struct cli_target *t, const char *word,
		      struct nbd_diag *d)
{
	struct nbd_uri *u = &t->uri;
	size_t len = strlen(word);
	bool bracketed = word[0] == '[' && len > 2 && word[len - 1] == ']';
	struct nbd_ip ip;

	nbd_uri_init(u);
	if (len == 0 || len > 255)
		return nbd_diag(d, NBD_E_USAGE,
				"no host or path of 1 to 255 bytes");
	memcpy(t->buf, word + bracketed, len - 2 * bracketed);
	t->buf[len - 2 * bracketed] = '\0';
	u->is_unix = strchr(word, '/');
	if (u->is_unix) {
		u->socket = t->buf;
		u->socket_len = len;
	} else {
		u->host = t->buf;
		if (strchr(u->host, ':') && !nbd_ip_host(&ip, u->host))
			return nbd_diag(d, NBD_E_USAGE,
					"not an IPv6 address (write a port as "
					"nbd://HOST:PORT/)");
	}
	return 0;
}

int cli_try_simple(const struct nbd_client *c, int err, struct nbd_diag *d)
{
	struct nbd_diag why = *d;

	return nbd_is_extra(c)
		       ? nbd_diag(d, err, "%s (-S leaves it out)", why.text)
		       : err;
}

int cli_target(struct cli_target *t, const char *word,
	       const struct cli_server *s, struct nbd_diag *d)
{
	const char *name = s->name;
	int err;

	if (nbd_is_uri(word)) {
		if (name || s->port)
			return nbd_diag(d, NBD_E_USAGE,
					"a URI has its own %s (give none "
					"beside it)",
					name ? "export name" : "port");
		return parse_uri(t, word, d);
	}
	err = cli_check_scheme(word, d);
	if (!err)
		err = parse_host(t, word, d);
	if (err)
		return err;
	if (s->port)
		t->uri.port = (uint16_t)s->port;
	t->uri.tls = s->files.ca || s->files.cert || s->files.key;
	if (!name)
		return 0;
	t->uri.name = name;
	t->uri.name_len = strlen(name);
	if (t->uri.name_len > NBD_STRING_MAX)
		return nbd_diag(d, NBD_E_USAGE, "name longer than %u bytes",
				NBD_STRING_MAX);
	return 0;
}
