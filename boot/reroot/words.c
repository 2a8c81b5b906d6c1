/* SPDX-License-Identifier: BSD-2-Clause */
/* Composes the kernel command line for a root. */
#include "boot/reroot/reroot.h"
#include "core/nbd_uri.h"

#include <string.h>

#define LOCAL "local:"

void reroot_words_begin(struct reroot_words *w)
{
	w->o = (struct nbd_out){ .buf = w->text, .cap = sizeof(w->text) - 1 };
}

int reroot_words_end(struct reroot_words *w, struct nbd_diag *d)
{
	w->text[w->o.len] = '\0';
	return w->o.cut ? nbd_diag(d, NBD_E_USAGE,
				   "more than %d bytes of kernel command line",
				   CMDLINE_MAX - 2)
			: NBD_OK;
}

static bool listed(const char *word, size_t len, const char *const list[])
{
	size_t n;

	len = strcspn(word, "= \t\n") < len ? strcspn(word, "= \t\n") : len;
	for (; *list; list++) {
		n = strlen(*list);
		if ((*list)[n - 1] == '.' ? len > n && !memcmp(word, *list, n)
					  : len == n && !memcmp(word, *list, n))
			return true;
	}
	return false;
}

void reroot_words_keep(struct reroot_words *w, const char *line, bool network)
{
	static const char *const nets[] = {
		"ip",	  "nameserver", "rd.route", "rd.peerdns",
		"BOOTIF", "bootdev",	"ifname",   "vlan",
		"bond",	  "bridge",	NULL
	};
	static const char *const ours[] = { "nbdboot.", NULL };
	/* about one root, or about programs in its initramfs */
	static const char *const gone[] = {
		"nbdboot.part",	       "nbdboot.overlay",
		"nbdboot.connections", "nbdboot.slots",
		"nbdboot.shell",       "nbdboot.onfail",
		"nbdboot.timeout",     NULL
	};
	const char *end;

	for (; *(line += strspn(line, NBD_BLANKS)); line = end) {
		size_t len;

		end = nbd_word_end(line);
		len = (size_t)(end - line);
		if (len == 2 && !memcmp(line, "--", 2))
			break;
		if (!(network && listed(line, len, nets)) &&
		    (!listed(line, len, ours) || listed(line, len, gone)))
			continue;
		nbd_put(&w->o, line, len);
		nbd_put(&w->o, " ", 1);
	}
}

/* A blank or a quote would make it another word. */
static int put_word(struct reroot_words *w, const char *name, const char *value,
		    struct nbd_diag *d)
{
	if (value[strcspn(value, "\"" NBD_BLANKS)])
		return nbd_diag(d, NBD_E_USAGE,
				"%s: blanks and quotes are not possible here",
				value);
	nbd_put(&w->o, name, strlen(name));
	nbd_put(&w->o, value, strlen(value));
	nbd_put(&w->o, " ", 1);
	return NBD_OK;
}

int reroot_words_root(struct reroot_words *w, const struct reroot_wish *wish,
		      struct nbd_diag *d)
{
	const char *target = wish->target;
	bool local = !strncmp(target, LOCAL, sizeof(LOCAL) - 1);
	int rc;

	if (local)
		target += sizeof(LOCAL) - 1;
	if (local ? strncmp(target, "/dev/", 5) != 0 : !nbd_is_uri(target))
		return nbd_diag(d, NBD_E_USAGE,
				"neither nbd://HOST[:PORT]/EXPORT nor "
				"local:/dev/DEVICE");
	if (local && (wish->overlay || wish->part || wish->connections))
		return nbd_diag(d, NBD_E_USAGE,
				"the options are for an export, not for a "
				"device of this machine");
	rc = put_word(w, "root=", target, d);
	if (!rc && wish->overlay)
		rc = put_word(w, "nbdboot.overlay=", wish->overlay, d);
	if (!rc && wish->part)
		rc = put_word(w, "nbdboot.part=", wish->part, d);
	if (wish->connections)
		nbd_putf(&w->o, "nbdboot.connections=%u ", wish->connections);
	nbd_put(&w->o, "rw", 2);
	return rc;
}
