/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two steps of parsing, and the choice of the word that names the server.
 */
#include "boot/common/root_parse.h"

#include <string.h>
#include <strings.h>

/* The words that can name a server.  The first one that is given counts. */
static const struct source {
	const char *word;
	uint16_t field; /* in struct cmdline */
} sources[] = {
#define F(x) offsetof(struct cmdline, x)
	{ "root", F(root) },
	{ "netroot", F(netroot) },
	{ "nbdroot", F(nbdroot) },
	{ "nbd_host", F(nbd_host) },
	{ "archiso_nbd_srv", F(archiso_srv) },
	{ "boot", F(boot) },
	/* root=dhcp comes after all others */
	{ "root", F(root) },
#undef F
};
#define SOURCES	 (sizeof(sources) / sizeof(sources[0]))
#define ROOT	 0
#define NBD_HOST 3
#define ARCHISO	 4
#define BOOT	 5
#define LAST	 (SOURCES - 1)

static bool is_server(const char *p)
{
	return nbd_is_uri(p) || root_begins(p, "overlay:nbd=");
}

/* Stores a, sep and b as one text. */
static const char *join(struct parse *s, const char *a, size_t len, char sep,
			const char *b)
{
	const char *text = root_keep(s, a, len);

	s->r->text[s->r->used - 1] = sep;
	root_keep(s, b, strlen(b));
	return text;
}

/*
 * Takes root= as a partition or file system of the export; false: it is
 * neither.
 */
static bool take_part(struct parse *s, const char *p)
{
	static const char names[][9] = { "LABEL", "UUID", "PARTUUID" };
	bool by = root_begins(p, "/dev/disk/by-");
	const char *v = p + (by ? 13 : 0);
	size_t n = strcspn(v, by ? "/" : "=");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) != n || strncasecmp(v, names[i], n) != 0 ||
		    !v[n] || !v[n + 1])
			continue;
		if (!s->r->part)
			s->r->part = join(s, names[i], n, '=', v + n + 1);
		return true;
	}
	return root_device(s, p);
}

/*
 * Takes root= as the part of the device that is the root, unless it names a
 * server.
 */
static int take_root(struct parse *s, const char *p)
{
	if (!p || !*p || is_server(p) || root_is_dhcp(p) ||
	    !strcmp(p, "/dev/root"))
		return NBD_OK;
	if (take_part(s, p))
		return NBD_OK;
	return root_wrong(s, "neither root=nbd://HOST[:PORT]/EXPORT nor a part "
			     "of an nbd device");
}

static const char *value_of(const struct cmdline *c, size_t i)
{
	const char *v =
		*(const char *const *)((const char *)c + sources[i].field);

	if (!v || (i == ROOT && !is_server(v)) ||
	    (i == LAST && !root_is_dhcp(v)) ||
	    (i == BOOT && !root_begins(v, "NBD=")))
		return NULL;
	return v;
}

bool root_named(const struct cmdline *c)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (value_of(c, i))
			return true;
	return false;
}

/* Parses a form in which the host, the name and the port have a word each. */
static int words(struct parse *s, const char *name, const char *port)
{
	const char *host = s->r->value;
	size_t len = strlen(host);
	bool bracketed = len > 1 && *host == '[' && host[len - 1] == ']';

	s->r->uri[0].host = root_keep(s, host + bracketed, len - 2 * bracketed);
	if (!len)
		return root_wrong(s, "no host");
	if (name)
		root_name(s, name, strlen(name));
	if (port && root_port(s, port, strlen(port)))
		return nbd_diag(s->d, NBD_E_URI, "nbd_port=%s: " ROOT_NO_PORT,
				port);
	return root_finish(s);
}

static int take_source(struct parse *s, const struct cmdline *c)
{
	size_t i, at = SOURCES;

	for (i = SOURCES; i;) {
		if (!value_of(c, --i))
			continue;
		/* root=dhcp is often given together with the others */
		if (at < LAST)
			root_note(s, sources[at].word,
				  strlen(sources[at].word));
		at = i;
	}
	if (at == SOURCES)
		return root_wrong(s, "no server: root=nbd://HOST[:PORT]/EXPORT "
				     "names one");
	s->r->word = sources[at].word;
	s->r->value = value_of(c, at);
	if (at == NBD_HOST)
		return words(s, c->nbd_name, c->nbd_port);
	if (at == ARCHISO)
		return words(s, c->archiso_name ? c->archiso_name : "archiso",
			     NULL);
	return root_server(s, s->r->value);
}

/* Adds the kernel's words, and our own, to those of the form. */
static void take_words(struct parse *s)
{
	const struct cmdline *c = s->r->cmd;
	const char *form = s->r->options;

	if (c->connections > 1)
		s->r->connections = c->connections;
	if (c->fstype && *c->fstype)
		s->r->fstype = c->fstype;
	if (!c->flags || !*c->flags)
		return;
	/* of two contradicting options the last one wins */
	s->r->options = form ? join(s, form, strlen(form), ',', c->flags)
			     : c->flags;
}

/*
 * nbdboot.tls=require: what proves the server is for the kernel command line to
 * say.  DHCP, or a variable of the firmware, in which DHCP's words may be,
 * names no more than the server and the export.
 */
static int check_proof(const struct parse *s)
{
	const struct root_spec *r = s->r;
	const char *of = r->ca	   ? "cacertfile="
			 : r->cert ? "certfile="
			 : r->key  ? "keyfile="
				   : NULL;

	if (!r->cmd->tls || (!s->by_path && !r->cmd->handed))
		return NBD_OK;
	for (unsigned i = 0; i < r->uris; i++) {
		const struct nbd_uri *u = &r->uri[i];

		of = *u->tls_certificates ? "tls-certificates="
		     : *u->tls_psk_file	  ? "tls-psk-file="
		     : *u->tls_hostname	  ? "tls-hostname="
					  : of;
	}
	if (!of)
		return NBD_OK;
	return nbd_diag(s->d, NBD_E_URI,
			"%s=%s: nbdboot.tls=require takes %s from the kernel "
			"command line only, not from %s",
			r->word, r->value, of,
			r->cmd->handed ? "the firmware" : "DHCP");
}

/* Returns the result of a step, and explains a failure. */
static int verdict(const struct parse *s, int rc)
{
	static const char *const names[ROOT_VALUES] = {
		"%h is the host name", "%m is the MAC address",
		"%u is the system's UUID", "%s is the serial number"
	};
	const char *word = s->r->word, *value = s->r->value, *why = NULL;

	if (s->r->cmd->tls)
		why = boot_uris_forbidden(s->r->uri, s->r->uris);
	if (s->full)
		return nbd_diag(s->d, NBD_E_USAGE, "%s=%.40s...: too long",
				word, value);
	if (s->control)
		return root_wrong(s, "a control character");
	if (s->missing)
		return nbd_diag(s->d, NBD_E_NOT_FOUND,
				"%s=%s: %s, which this machine does not have",
				word, value, names[s->missing - 1]);
	if (!rc && why)
		return root_wrong(s, why);
	return rc ? rc : check_proof(s);
}

int root_parse(struct root_spec *r, const struct cmdline *c, struct nbd_diag *d)
{
	struct parse s = { .r = r, .d = d };
	int rc;

	memset(r, 0, offsetof(struct root_spec, text));
	r->cmd = c;
	r->word = "root";
	r->value = c->root ? c->root : "";
	r->device = r->block_size = ROOT_UNSET;
	r->io_timeout = r->dead_timeout = ROOT_UNSET;
	r->connections = 1;
	r->part = c->part;
	nbd_uri_init(&r->uri[0]);
	rc = take_root(&s, c->root);
	if (!rc && c->nbddev && r->device < 0 && !root_device(&s, c->nbddev)) {
		r->word = "nbddev";
		r->value = c->nbddev;
		rc = root_wrong(&s, "not nbdN or nbdNpM");
	}
	if (!rc)
		rc = take_source(&s, c);
	if (!rc)
		take_words(&s);
	return verdict(&s, rc);
}

/*
 * Expands a form that is no URI: the export name, and DHCP's server if it names
 * none.
 */
static int expand_form(struct parse *s)
{
	const struct root_slice *name = &s->r->raw[0];

	if (name->p)
		root_name(s, name->p, name->len);
	return root_finish(s);
}

int root_expand(struct root_spec *r, const struct root_spec *spec,
		const struct root_env *env, struct nbd_diag *d)
{
	struct parse s = { .r = r, .env = env, .d = d };
	int rc;

	memcpy(r, spec, offsetof(struct root_spec, text));
	r->used = 0;
	if (r->by == ROOT_BY_PATH) {
		r->fstype = r->options = NULL;
		rc = root_from_path(&s);
		take_words(&s);
	} else {
		rc = r->by == ROOT_BY_FORM ? expand_form(&s)
					   : root_fill_uris(&s);
	}
	return verdict(&s, rc);
}
