/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms that name a server, parsed into r->uri. */
#include "boot/words/root_parse.h"

#include <string.h>

/* DHCP's server: a root-path that is only an address, or the boot server. */
static const char *dhcp_server(const struct root_env *env)
{
	const char *path = env->root_path;

	return path && *path && !path[strcspn(path, ":,/")] ? path
							    : env->server;
}

int root_finish(struct parse *in)
{
	struct root_spec *r = in->r;
	struct nbd_uri *u = &r->uri[0];
	const char *server;

	r->by = ROOT_BY_FORM;
	if (!*u->host) {
		r->from_dhcp = true;
		server = in->env ? dhcp_server(in->env) : NULL;
		if (!server)
			return NBD_OK;
		u->host = root_keep(in, server, strlen(server));
	}
	u->tls = r->tls;
	if (nbd_uri_check(u) < 0)
		return root_wrong(in, u->wrong);
	r->uris = 1;
	return NBD_OK;
}

/* Parses one URI of a list. */
static int take_uri(struct parse *in, unsigned i, const char *p, size_t len)
{
	struct root_spec *r = in->r;
	struct nbd_uri *u = &r->uri[i];
	const char *text = root_fill(in, &r->raw[i], p, len, true);
	size_t n = strlen(text);

	/* the strings of a URI need at most as many bytes as its text */
	in->full |= n > ROOT_TEXT - r->used;
	if (in->full)
		return NBD_OK;
	if (nbd_uri_parse(u, r->text + r->used, n, text) < 0)
		return nbd_diag(in->d, NBD_E_URI, "%s=%s: %s (at character %u)",
				r->word, text, u->wrong,
				(unsigned)u->wrong_at + 1);
	r->used += n;
	r->tls |= u->tls;
	return NBD_OK;
}

int root_fill_uris(struct parse *in)
{
	const struct root_slice *raw = in->r->raw;
	int rc = NBD_OK;

	for (unsigned i = 0; i < in->r->uris && !rc; i++)
		if (raw[i].p)
			rc = take_uri(in, i, raw[i].p, raw[i].len);
	return rc;
}

static int uris(struct parse *in, const char *p)
{
	int rc = NBD_OK;
	size_t n;

	do {
		n = boot_uris_first(p);
		if (in->r->uris == BOOT_URIS)
			return nbd_diag(in->d, NBD_E_URI,
					"%s=%s: more than %d servers",
					in->r->word, in->r->value, BOOT_URIS);
		rc = take_uri(in, in->r->uris++, p, n);
		p += n;
	} while (!rc && *p++);
	return rc;
}

/*
 * Parses a host up to one of the delimiters, or [an address].  Returns its end.
 */
static const char *take_host(struct parse *in, const char *p,
			     const char *delims)
{
	/* a bracket that nothing closes stays, and makes it no host name */
	bool bracket = *p == '[' && strchr(p, ']');
	size_t n = strcspn(p + bracket, bracket ? "]" : delims);

	in->r->uri[0].host = root_keep(in, p + bracket, n);
	return p + n + 2 * bracket;
}

int root_port(struct parse *in, const char *p, size_t len)
{
	long port = nbd_numbern(p, len, 1, 65535);

	if (port < 0)
		return NBD_E_URI;
	in->r->uri[0].port = (uint16_t)port;
	return NBD_OK;
}

/* Digits alone are a port, as in dracut and Debian. */
static void take_port_or_name(struct parse *in, const char *p, size_t len)
{
	if (root_port(in, p, len))
		root_name(in, p, len);
}

static int take_port(struct parse *in, const char *p, size_t len)
{
	return root_port(in, p, len)
		       ? root_wrong(in, ROOT_NO_PORT " (IPv6 addresses need "
						     "[brackets])")
		       : NBD_OK;
}

bool root_device(struct parse *in, const char *p)
{
	size_t n;
	long index, part = 0;

	p += root_begins(p, "/dev/") ? 5 : 0;
	if (!root_begins(p, "nbd"))
		return false;
	p += 3;
	n = strcspn(p, "p");
	index = nbd_numbern(p, n, 0, 1 << 20);
	if (p[n])
		part = nbd_number(p + n + 1, 1, 255);
	if (index < 0 || part < 0)
		return false;
	in->r->device = (int)index;
	if (part && !in->r->part)
		in->r->part = root_keep(in, p + n + 1, strlen(p + n + 1));
	return true;
}

static int after_host(const struct parse *in)
{
	return root_wrong(in, "unexpected text after the host");
}

/* The length of the next field before a colon; moves *p past both. */
static size_t field(const char **p, const char **begin)
{
	size_t n = strcspn(*p, ":");

	*begin = *p;
	*p += n + ((*p)[n] == ':');
	return n;
}

/* h:port:exportname=x, of which x may hold colons. */
static int qemu(struct parse *in, const char *port, size_t len,
		const char *name)
{
	root_name(in, name, strlen(name));
	if (root_port(in, port, len))
		return root_wrong(in, ROOT_NO_PORT);
	return root_finish(in);
}

/* h:x[:fstype[:mountopts[:nbdopts]]], after nbd:, or QEMU's form */
static int dracut(struct parse *in, const char *p)
{
	const char *fs, *opts, *name;
	size_t n;

	if (root_begins(p, "unix:/"))
		return root_wrong(in, "QEMU's form of a UNIX socket (use "
				      "nbd+unix:///EXPORT?socket=PATH)");
	p = take_host(in, p, ":");
	if (*p && *p != ':')
		return after_host(in);
	p += *p == ':';
	n = field(&p, &name);
	if (root_begins(p, "exportname="))
		return qemu(in, name, n, p + 11);
	take_port_or_name(in, name, n);
	n = field(&p, &fs);
	/* without a type we try all, which is the meaning of these two */
	if (n && (n != 4 || (memcmp(fs, "auto", 4) && memcmp(fs, "none", 4))))
		in->r->fstype = root_keep(in, fs, n);
	n = field(&p, &opts);
	if (n)
		in->r->options = root_keep(in, opts, n);
	root_options(in, p);
	return root_finish(in);
}

/* The colon of "h:port", of len bytes; NULL: IPv6 addresses have several. */
static const char *port_colon(const char *p, size_t len)
{
	const char *colon = memchr(p, ':', len);

	return colon && !memchr(colon + 1, ':', len - (size_t)(colon + 1 - p))
		       ? colon
		       : NULL;
}

/* Takes the device that a form names, unless root= or nbddev= has. */
static bool form_device(struct parse *in, const char *p)
{
	int before = in->r->device;
	bool is = root_device(in, p);

	if (before >= 0)
		in->r->device = before;
	return is;
}

/* h[:port],x[,nbd0] or h:port,nbd0, where h may be dhcp or missing */
static int commas(struct parse *in, const char *p)
{
	const char *comma = strchr(p, ','), *name = comma + 1;
	const char *last = strrchr(name, ','), *end;
	int rc;

	end = *p == '[' ? take_host(in, p, ",")
			: port_colon(p, (size_t)(comma - p));
	if (!end)
		end = comma;
	if (*p != '[' && !root_begins(p, "dhcp,"))
		in->r->uri[0].host = root_keep(in, p, (size_t)(end - p));
	if (*end == ':') {
		rc = take_port(in, end + 1, (size_t)(comma - end - 1));
		if (rc || (!last && form_device(in, name)))
			return rc ? rc : root_finish(in);
		root_name(in, name,
			  last ? (size_t)(last - name) : strlen(name));
	} else if (end != comma) {
		return after_host(in);
	} else {
		take_port_or_name(in, name,
				  last ? (size_t)(last - name) : strlen(name));
	}
	if (last && in->r->device < 0 && !root_device(in, last + 1))
		return root_wrong(in, "the third field is not nbdN or nbdNpM");
	return root_finish(in);
}

/* h  h:x  h[:port]/x  h:/x  /x  port/x */
static int slashes(struct parse *in, const char *p)
{
	const char *rest = take_host(in, p, ":/");
	size_t n = strcspn(rest, "/");
	int rc = NBD_OK;

	if (*rest == '/') {
		if (!root_port(in, p, (size_t)(rest - p)))
			in->r->uri[0].host = "";
		/* h:/x (NFS's form) and /x keep the slash */
		rest += rest > p;
	} else if (*rest == ':' && rest[n] && n > 1) {
		rc = take_port(in, rest + 1, n - 1);
		rest += n + 1;
	} else if (*rest == ':' && rest[n]) {
		rest++;
	} else if (*rest == ':') {
		take_port_or_name(in, rest + 1, n - 1);
		return root_finish(in);
	} else if (*rest) {
		return after_host(in);
	}
	if (rc)
		return rc;
	root_name(in, rest, strlen(rest));
	return root_finish(in);
}

static int libreelec(struct parse *in, const char *p)
{
	const char *port;
	size_t n;
	int rc;

	p = take_host(in, p, ":");
	p += *p == ':';
	n = field(&p, &port);
	rc = take_port(in, port, n);
	root_name(in, p, strlen(p));
	return rc ? rc : root_finish(in);
}

/* The length of another protocol's name in a root-path or netroot=, or 0. */
static size_t foreign(const char *p)
{
	static const char names[][8] = { "iscsi", "nfs",  "nfs4",    "aoe",
					 "fcoe",  "nvmf", "livenet", "cifs" };
	size_t n = strcspn(p, ":");

	/* the URI of something else is no host with a port */
	if (root_begins(p + n, "://") && !nbd_is_uri(p))
		return n;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && p[n]; i++)
		if (strlen(names[i]) == n && root_begins(p, names[i]))
			return n;
	return 0;
}

/*
 * Scripts hand these on to files that a shell, udev or systemd reads, and to
 * mount(8), where a blank or a backslash begins another word.
 */
static bool is_plain(const char *p)
{
	static const char others[] = "+,-./:=@_";

	for (; p && *p; p++) {
		char c = (char)(*p | 0x20);

		if (!(c >= 'a' && c <= 'z') && !(*p >= '0' && *p <= '9') &&
		    !strchr(others, *p))
			return false;
	}
	return true;
}

/*
 * DHCP serves other machines, too: 192.0.2.1:/srv may be NFS, unless it says
 * that it is NBD, or the word nbdroot= does.
 */
static bool is_ours(const char *path, const char *word)
{
	return !strcmp(word, "nbdroot") || root_begins(path, "nbdroot=") ||
	       root_begins(path, "nbd:") || nbd_is_uri(path) ||
	       root_is_dhcp(path) || foreign(path);
}

int root_from_path(struct parse *in)
{
	const char *path = in->env->root_path;
	bool ours;
	int rc;

	if (!path || !*path)
		return NBD_OK;
	in->by_path = true;
	ours = is_ours(path, in->r->word);
	in->r->word = "root-path of DHCP";
	in->r->value = path;
	if (!ours)
		return root_wrong(in, "it begins with neither nbd:, nbd:// nor "
				      "nbds:// (nbdroot=dhcp takes other forms "
				      "of NBD, too)");
	path += root_begins(path, "nbdroot=") ? 8 : 0;
	if (!*path || root_is_dhcp(path))
		return root_wrong(in, "it refers to itself");
	rc = root_server(in, path);
	if (!rc && (!is_plain(in->r->fstype) || !is_plain(in->r->options)))
		return root_wrong(in, "a type or an option of the mount with a "
				      "character that none has");
	return rc;
}

/* h:port:fstype..., which early dracut took from nbdroot=, without nbd: */
static bool is_early_dracut(const char *p)
{
	size_t n = strcspn(p, ":,/"), dot = strcspn(p, ".");
	const char *port = p + n + (p[n] == ':');
	size_t digits = strspn(port, "0123456789");

	/* a host without a dot may be the begin of an IPv6 address */
	return dot < n && digits && port[digits] == ':';
}

int root_server(struct parse *in, const char *p)
{
	size_t n = strcspn(p, ",/"), other = foreign(p);

	/* without the value, which may hold a password */
	if (other)
		return nbd_diag(in->d, NBD_E_URI,
				"%s: %.*s: is no Network Block Device (use "
				"nbd://SERVER/EXPORT)",
				in->r->word, (int)other, p);
	if (!*p || root_is_dhcp(p)) {
		in->r->from_dhcp = true;
		in->r->by = ROOT_BY_PATH;
		return NBD_OK;
	}
	if (root_begins(p, "nbd:") && !root_begins(p, "nbd://"))
		return dracut(in, p + 4);
	if (nbd_is_uri(p))
		return uris(in, p);
	if (root_begins(p, "NBD="))
		return libreelec(in, p + 4);
	if (root_begins(p, "overlay:nbd=")) {
		in->r->overlay = true;
		return slashes(in, p + 12);
	}
	if (is_early_dracut(p))
		return dracut(in, p);
	return p[n] == ',' ? commas(in, p) : slashes(in, p);
}
