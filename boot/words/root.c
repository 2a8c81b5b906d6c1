/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two steps of parsing, and the choice of the word that names the server.
 */
#include "boot/words/root_parse.h"
#include "boot/words/word.h"

#include <string.h>
#include <strings.h>

/* Those by which other programs name the root, besides root=. */
const struct word root_form_words[] = {
	WORD("netroot", netroot, WORD_TEXT,
	     WORD_ROOT | WORD_FIRMWARE | WORD_USER),
	WORD("nbdroot", nbdroot, WORD_TEXT, WORD_ROOT | WORD_FIRMWARE),
	WORD("nbddev", nbddev, WORD_TEXT, WORD_ROOT),
	WORD("nbdport", nbdport, WORD_TEXT, WORD_ROOT | WORD_FIRMWARE),
	WORD("nbd_host", nbd_host, WORD_TEXT, WORD_ROOT | WORD_FIRMWARE),
	WORD("nbd_name", nbd_name, WORD_TEXT, WORD_ROOT | WORD_FIRMWARE),
	WORD("nbd_port", nbd_port, WORD_TEXT, WORD_ROOT | WORD_FIRMWARE),
	WORD("nbd.server", agl_server, WORD_TEXT, WORD_ROOT),
	WORD("nbd.namev3", agl_name, WORD_TEXT, WORD_ROOT),
	WORD("nbd.port", agl_port, WORD_TEXT, WORD_ROOT),
	WORD("nbdserver", nbdserver, WORD_TEXT, WORD_ROOT),
	WORD("netboot", netboot, WORD_TEXT, WORD_ROOT),
	WORD("boot", boot, WORD_TEXT, WORD_ROOT),
	WORD("archiso_nbd_srv", archiso_srv, WORD_TEXT, WORD_ROOT),
	WORD("archiso_nbd_name", archiso_name, WORD_TEXT, WORD_ROOT),
	WORD_END
};

/*
 * The words that can name a server.  The first one that is given counts.  Some
 * are no more than its host, and have words for the export and the port beside
 * them.
 */
static const struct source {
	const char *word;
	uint16_t field; /* in struct cmdline, as the next two; 0: none */
	uint16_t name, port;
	const char *port_word;
} sources[] = {
#define F(x) offsetof(struct cmdline, x)
	{ .word = "root", F(root) },
	{ .word = "netroot", F(netroot) },
	{ .word = "nbdroot", F(nbdroot), .port = F(nbdport), "nbdport" },
	{ "nbd_host", F(nbd_host), F(nbd_name), F(nbd_port), "nbd_port" },
	{ "nbd.server", F(agl_server), F(agl_name), F(agl_port), "nbd.port" },
	{ "nbdserver", F(nbdserver), .port = F(nbdport), "nbdport" },
	{ .word = "archiso_nbd_srv", F(archiso_srv), F(archiso_name) },
	{ .word = "boot", F(boot) },
	{ .word = "netboot", F(netboot) },
	/* root=dhcp comes after all others */
	{ .word = "root", F(root) },
#undef F
};
#define SOURCES (sizeof(sources) / sizeof(sources[0]))
#define LAST	(SOURCES - 1)
enum {
	ROOT,
	NETROOT,
	NBDROOT,
	NBD_HOST,
	AGL,
	NBDSERVER,
	ARCHISO,
	BOOT,
	NETBOOT
};

static bool is_server(const char *p)
{
	return nbd_is_uri(p) || root_begins(p, "overlay:nbd=");
}

/* Stores a, sep and b as one text. */
static const char *join(struct parse *in, const char *a, size_t len, char sep,
			const char *b)
{
	const char *text = root_keep(in, a, len);

	in->r->text[in->r->used - 1] = sep;
	root_keep(in, b, strlen(b));
	return text;
}

/* Stores NAME=VALUE of a link whose value is escaped as udev does: \x20. */
static const char *unescape(struct parse *in, const char *name, const char *v)
{
	char text[CMDLINE_MAX];
	size_t len = 0;

	for (; *v && len < sizeof(text) - 1; v++) {
		int c = v[0] == '\\' && v[1] == 'x' ? nbd_hex_byte(v + 2) : -1;

		text[len++] = c < 0 ? *v : (char)c;
		v += c < 0 ? 0 : 3;
	}
	text[len] = '\0';
	return join(in, name, strlen(name), '=', text);
}

/*
 * Takes root= as a partition or file system of the export; false: it is
 * neither.
 */
static bool take_part(struct parse *in, const char *p)
{
	static const char names[][10] = { "LABEL", "UUID", "PARTLABEL",
					  "PARTUUID" };
	bool by = root_begins(p, "/dev/disk/by-");
	const char *v = p + (by ? 13 : 0);
	size_t n = strcspn(v, by ? "/" : "=");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) != n || strncasecmp(v, names[i], n) != 0 ||
		    !v[n] || !v[n + 1])
			continue;
		if (!in->r->part)
			in->r->part =
				by ? unescape(in, names[i], v + n + 1)
				   : join(in, names[i], n, '=', v + n + 1);
		return true;
	}
	return root_device(in, p);
}

/*
 * Values of root= that say nothing; people write the others beside the word
 * that names the server, "nbd" in early dracut's form.
 */
static bool is_nothing(const char *p)
{
	return !*p || !strcmp(p, "/dev/root") || !strcmp(p, "/dev/ram0") ||
	       !strcmp(p, "/dev/ram") || !strcmp(p, "nbd");
}

/*
 * Takes root= as the part of the device that is the root, unless it names a
 * server.  What is neither is for others to put together out of the device, an
 * LVM volume for example.
 */
static void take_root(struct parse *in, const char *p)
{
	if (p && !is_nothing(p) && !is_server(p) && !root_is_dhcp(p) &&
	    !take_part(in, p))
		in->r->other = p;
}

/* The root is a part of the device, or the whole. */
static int check_root(const struct parse *in)
{
	const struct root_spec *r = in->r;

	if (!r->other || in->server_only)
		return NBD_OK;
	return nbd_diag(in->d, NBD_E_URI,
			"root=%s: neither root=nbd://HOST[:PORT]/EXPORT nor a "
			"part of an nbd device (LVM, LUKS and md need an "
			"initramfs with their programs)",
			r->other);
}

static const char *text_of(const struct cmdline *c, uint16_t field)
{
	return field ? *(const char *const *)((const char *)c + field) : NULL;
}

static const char *value_of(const struct cmdline *c, size_t i)
{
	const char *v = text_of(c, sources[i].field);

	if (!v || (i == ROOT && !is_server(v)) ||
	    (i == LAST && !root_is_dhcp(v)) ||
	    (i == BOOT && !root_begins(v, "NBD=")) ||
	    (i == NETBOOT && !nbd_is_uri(v)))
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

const char *root_wanted(const struct cmdline *c)
{
	for (size_t i = 0; i < LAST; i++) {
		const char *v = value_of(c, i);

		/* netroot= may be for others, and an empty nbdroot= for none */
		if (v && (i != NETROOT || root_begins(v, "nbd")) &&
		    (i != NBDROOT || *v))
			return sources[i].word;
	}
	if (!c->nbddev && !(c->root && root_begins(c->root, "/dev/nbd")))
		return "";
	return c->netroot && root_is_dhcp(c->netroot) ? "dhcp" : "device";
}

/* The port that a word of its own has. */
static int take_port_word(struct parse *in, const struct source *from,
			  const char *port)
{
	if (!port || !root_port(in, port, strlen(port)))
		return NBD_OK;
	return nbd_diag(in->d, NBD_E_URI, "%s=%s: " ROOT_NO_PORT,
			from->port_word, port);
}

/* Parses a form in which the host, the name and the port have a word each. */
static int words(struct parse *in, const struct source *from, const char *name)
{
	const char *host = in->r->value;
	size_t len = strlen(host);
	bool bracketed = len > 1 && *host == '[' && host[len - 1] == ']';
	int rc = take_port_word(in, from, text_of(in->r->cmd, from->port));

	in->r->uri[0].host =
		root_keep(in, host + bracketed, len - 2 * bracketed);
	if (!len)
		return root_wrong(in, "no host");
	if (name)
		root_name(in, name, strlen(name));
	return rc ? rc : root_finish(in);
}

/* archiso's own boot menus have this text for the server of PXE. */
static int archiso(struct parse *in, const struct source *from,
		   const char *name)
{
	if (!name)
		name = "archiso";
	if (strcmp(in->r->value, "${pxeserver}") != 0)
		return words(in, from, name);
	root_name(in, name, strlen(name));
	return root_finish(in);
}

/* nbdroot=, for which some menus give the port in a word of its own. */
static int nbdroot(struct parse *in, const struct source *from)
{
	const char *port = text_of(in->r->cmd, from->port);
	int rc = root_server(in, in->r->value);

	if (rc || !port)
		return rc;
	if (in->r->by == ROOT_BY_FORM && in->r->uri[0].port == NBD_PORT)
		return take_port_word(in, from, port);
	root_note(in, from->port_word, strlen(from->port_word));
	return NBD_OK;
}

static int take_source(struct parse *in, const struct cmdline *c)
{
	size_t i, at = SOURCES;

	for (i = SOURCES; i;) {
		if (!value_of(c, --i))
			continue;
		/* root=dhcp is often given together with the others */
		if (at < LAST)
			root_note(in, sources[at].word,
				  strlen(sources[at].word));
		at = i;
	}
	if (at == SOURCES)
		return root_wrong(in,
				  "no server: root=nbd://HOST[:PORT]/EXPORT "
				  "names one");
	in->r->word = sources[at].word;
	in->r->value = value_of(c, at);
	if (at == ARCHISO)
		return archiso(in, &sources[at], c->archiso_name);
	if (at == NBDROOT)
		return nbdroot(in, &sources[at]);
	if (sources[at].port)
		return words(in, &sources[at], text_of(c, sources[at].name));
	return root_server(in, in->r->value);
}

/* Adds the kernel's words, and our own, to those of the form. */
static void take_words(struct parse *in)
{
	const struct cmdline *c = in->r->cmd;
	const char *form = in->r->options;

	if (c->connections > 1)
		in->r->connections = c->connections;
	if (c->fstype && *c->fstype)
		in->r->fstype = c->fstype;
	if (!c->flags || !*c->flags)
		return;
	/* of two contradicting options the last one wins */
	in->r->options = form ? join(in, form, strlen(form), ',', c->flags)
			      : c->flags;
}

/*
 * nbdboot.tls=require: what proves the server is for the kernel command line to
 * say.  DHCP, or a variable of the firmware, in which DHCP's words may be,
 * names no more than the server and the export.
 */
static int check_proof(const struct parse *in)
{
	const struct root_spec *r = in->r;
	const char *of = r->ca	   ? "cacertfile="
			 : r->cert ? "certfile="
			 : r->key  ? "keyfile="
				   : NULL;

	if (!r->cmd->tls || (!in->by_path && !r->cmd->handed))
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
	return nbd_diag(in->d, NBD_E_URI,
			"%s=%s: nbdboot.tls=require takes %s from the kernel "
			"command line only, not from %s",
			r->word, r->value, of,
			r->cmd->handed ? "the firmware" : "DHCP");
}

/* Returns the result of a step, and explains a failure. */
static int verdict(const struct parse *in, int rc)
{
	static const char *const names[ROOT_VALUES] = {
		"%h is the host name", "%m is the MAC address",
		"%u is the system's UUID", "%s is the serial number"
	};
	const char *word = in->r->word, *value = in->r->value, *why = NULL;

	if (in->r->cmd->tls)
		why = boot_uris_forbidden(in->r->uri, in->r->uris);
	if (in->full)
		return nbd_diag(in->d, NBD_E_USAGE, "%s=%.40s...: too long",
				word, value);
	if (in->control)
		return root_wrong(in, "a control character");
	if (in->missing)
		return nbd_diag(in->d, NBD_E_NOT_FOUND,
				"%s=%s: %s, which this machine does not have",
				word, value, names[in->missing - 1]);
	if (!rc && why)
		return root_wrong(in, why);
	return rc ? rc : check_proof(in);
}

static int parse(struct parse *in, const struct cmdline *c)
{
	struct root_spec *r = in->r;
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
	take_root(in, c->root);
	rc = check_root(in);
	if (!rc && c->nbddev && r->device < 0 && !root_device(in, c->nbddev)) {
		r->word = "nbddev";
		r->value = c->nbddev;
		rc = root_wrong(in, "not nbdN or nbdNpM");
	}
	if (!rc)
		rc = take_source(in, c);
	if (!rc)
		take_words(in);
	return verdict(in, rc);
}

int root_parse(struct root_spec *r, const struct cmdline *c, struct nbd_diag *d)
{
	struct parse in = { .r = r, .d = d };

	return parse(&in, c);
}

int root_parse_server(struct root_spec *r, const struct cmdline *c,
		      struct nbd_diag *d)
{
	struct parse in = { .r = r, .d = d, .server_only = true };

	return parse(&in, c);
}

/*
 * Expands a form that is no URI: the export name, and DHCP's server if it names
 * none.
 */
static int expand_form(struct parse *in)
{
	const struct root_slice *name = &in->r->raw[0];

	if (name->p)
		root_name(in, name->p, name->len);
	return root_finish(in);
}

/* n is taken as the rest of its division by the number of them. */
static void begin_with(struct root_spec *r, unsigned n)
{
	for (n = r->uris ? n % r->uris : 0; n; n--) {
		struct nbd_uri first = r->uri[0];

		memmove(r->uri, r->uri + 1, (r->uris - 1) * sizeof(first));
		r->uri[r->uris - 1] = first;
	}
}

int root_expand(struct root_spec *r, const struct root_spec *spec,
		const struct root_env *env, struct nbd_diag *d)
{
	struct parse in = { .r = r, .env = env, .d = d };
	int rc;

	memcpy(r, spec, offsetof(struct root_spec, text));
	r->used = 0;
	if (r->by == ROOT_BY_PATH) {
		r->fstype = r->options = NULL;
		rc = root_from_path(&in);
		take_words(&in);
	} else {
		rc = r->by == ROOT_BY_FORM ? expand_form(&in)
					   : root_fill_uris(&in);
	}
	begin_with(r, env->first);
	return verdict(&in, rc);
}
