/* SPDX-License-Identifier: BSD-2-Clause */
/* Which server and which export a person means. */
#include "boot/cli/cli.h"

#include <string.h>

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

static int parse_port(struct nbd_uri *u, const char *port, struct nbd_diag *d)
{
	long v = nbd_number(port, 1, 65535);

	if (v < 0)
		return nbd_diag(d, NBD_E_USAGE,
				"port %s is not a number from 1 to 65535",
				port);
	u->port = (uint16_t)v;
	return 0;
}

/* A host is told from a socket by the slash that a path has. */
static int parse_host(struct cli_target *t, const char *word,
		      struct nbd_diag *d)
{
	struct nbd_uri *u = &t->uri;
	size_t len = strlen(word);
	bool bracketed = word[0] == '[' && len > 2 && word[len - 1] == ']';

	*u = (struct nbd_uri){
		.port = NBD_PORT,
		.tls_verify_peer = -1,
		.host = "",
		.user = "",
		.socket = "",
		.name = "",
		.tls_hostname = "",
		.tls_certificates = "",
		.tls_psk_file = "",
	};
	if (len == 0 || len > 255)
		return nbd_diag(d, NBD_E_USAGE, "no host, socket or URI");
	memcpy(t->buf, word + bracketed, len - 2 * bracketed);
	t->buf[len - 2 * bracketed] = '\0';
	u->is_unix = strchr(word, '/');
	if (u->is_unix) {
		u->socket = t->buf;
		u->socket_len = len;
	} else {
		u->host = t->buf;
	}
	return 0;
}

int cli_target(struct cli_target *t, const char *word, const char *name,
	       const char *port, struct nbd_diag *d)
{
	int err;

	if (nbd_is_uri(word)) {
		if (name || port)
			return nbd_diag(d, NBD_E_USAGE,
					"a URI has its own %s: leave out %s",
					name ? "export name" : "port",
					name ? "-n" : "-p");
		return parse_uri(t, word, d);
	}
	err = parse_host(t, word, d);
	if (!err && port)
		err = parse_port(&t->uri, port, d);
	if (!err && name && strlen(name) > NBD_STRING_MAX)
		err = nbd_diag(d, NBD_E_USAGE, "name longer than %u bytes",
			       NBD_STRING_MAX);
	if (!err && name) {
		t->uri.name = name;
		t->uri.name_len = strlen(name);
	}
	return err;
}

void cli_tls_file(struct tls_files *f, int option, const char *value)
{
	if (option == 'A')
		f->ca = value;
	else if (option == 'C')
		f->cert = value;
	else
		f->key = value;
}

void cli_target_tls(struct cli_target *t, const char *word,
		    const struct tls_files *f)
{
	if (!nbd_is_uri(word) && (f->ca || f->cert || f->key))
		t->uri.tls = true;
}
