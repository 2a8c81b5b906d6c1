/* SPDX-License-Identifier: BSD-2-Clause */
/* Composes the kernel command line for a root. */
#include "boot/words/word.h"
#include "boot/reroot/reroot.h"
#include "core/nbd_uri.h"

#include <string.h>

#define LOCAL "local:"
#define DEV   "/dev/"

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

/* Those of other programs about one root, or added by a boot loader. */
const struct word reroot_other_words[] = {
	WORD_NAME("rdinit", WORD_ROOT),	  WORD_NAME("nfsroot", WORD_ROOT),
	WORD_NAME("nfsaddrs", WORD_ROOT), WORD_NAME("BOOT_IMAGE", WORD_ROOT),
	WORD_NAME("initrd", WORD_ROOT),	  WORD_END
};

/*
 * Sets *len to that of the next word at *line, and returns the word, or NULL:
 * at the end, or at "--", behind which words are for init.
 */
static const char *next(const char **line, size_t *len)
{
	const char *word = *line + strspn(*line, NBD_BLANKS);

	*line = nbd_word_end(word);
	*len = (size_t)(*line - word);
	return !*len || (*len == 2 && !memcmp(word, "--", 2)) ? NULL : word;
}

static void copy(struct reroot_words *w, const char *word, size_t len)
{
	nbd_put(&w->o, word, len);
	nbd_put(&w->o, " ", 1);
}

/* "nbdboot.prefetch=nbd://h/list" without the list: it is of the root before. */
static void copy_bare(struct reroot_words *w, const char *word, size_t len)
{
	const char *value = memchr(word, '=', len);

	if (!value || !memchr(value, '/', len - (size_t)(value - word))) {
		copy(w, word, len);
		return;
	}
	/* one quote alone would begin a longer word */
	word += *word == '"';
	copy(w, word, (size_t)(value - word));
}

void reroot_words_keep(struct reroot_words *w, const char *line, bool network)
{
	unsigned want = WORD_OURS | (network ? WORD_NETWORK : 0), scope;
	const char *word;
	size_t len;

	while ((word = next(&line, &len))) {
		scope = boot_words_scope(word, len);
		if ((scope & want) && !(scope & WORD_ONCE))
			(scope & WORD_BARE ? copy_bare : copy)(w, word, len);
	}
}

void reroot_words_mount(struct reroot_words *w, const char *line, bool overlay)
{
	const char *word;
	unsigned scope;
	size_t len;

	while ((word = next(&line, &len))) {
		scope = boot_words_scope(word, len);
		if ((scope & WORD_MOUNT) && (overlay || !(scope & WORD_OURS)))
			copy(w, word, len);
	}
}

void reroot_words_rest(struct reroot_words *w, const char *line)
{
	const char *word;
	size_t len;

	while ((word = next(&line, &len)))
		if (!(boot_words_scope(word, len) &
		      (WORD_ROOT | WORD_NETWORK | WORD_OURS)))
			copy(w, word, len);
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

/*
 * Another kernel may number disks differently.  What is in a directory of /dev
 * is not a number, and may have to be made by that name (LVM).
 */
static int put_local(struct reroot_words *w, const char *dev, const char *uuid,
		     struct nbd_diag *d)
{
	if (uuid && *uuid && !strchr(dev + sizeof(DEV) - 1, '/'))
		return put_word(w, "root=UUID=", uuid, d);
	return put_word(w, "root=", dev, d);
}

bool reroot_is_local(const char *target)
{
	return !strncmp(target, LOCAL, sizeof(LOCAL) - 1);
}

int reroot_words_root(struct reroot_words *w, const struct reroot_wish *wish,
		      struct nbd_diag *d)
{
	const char *target = wish->target;
	bool local = reroot_is_local(target);
	int rc;

	if (local)
		target += sizeof(LOCAL) - 1;
	if (local ? strncmp(target, DEV, sizeof(DEV) - 1) != 0
		  : !nbd_is_uri(target))
		return nbd_diag(d, NBD_E_USAGE,
				"neither nbd://HOST[:PORT]/EXPORT nor "
				"local:/dev/DEVICE");
	if (local && (wish->overlay || wish->part || wish->connections))
		return nbd_diag(d, NBD_E_USAGE,
				"the options are for an export, not for a "
				"device of this machine");
	rc = local ? put_local(w, target, wish->uuid, d)
		   : put_word(w, "root=", target, d);
	if (!rc && wish->overlay)
		rc = put_word(w, "nbdboot.overlay=", wish->overlay, d);
	if (!rc && wish->part)
		rc = put_word(w, "nbdboot.part=", wish->part, d);
	if (wish->connections)
		nbd_putf(&w->o, "nbdboot.connections=%u ", wish->connections);
	nbd_put(&w->o, "rw", 2);
	return rc;
}
