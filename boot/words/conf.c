/* SPDX-License-Identifier: BSD-2-Clause */
/* The words that say what to boot. */
#include "boot/words/conf.h"
#include "boot/words/hash.h"
#include "boot/words/word.h"

#include <string.h>
#include <strings.h>

/* How long this program waits for its server; init may know both. */
const struct word boot_conf_words[] = {
	WORD("nbdboot.onfail", onfail, WORD_TEXT, WORD_OURS | WORD_ONCE),
	WORD("nbdboot.timeout", timeout, WORD_NUMBER,
	     WORD_OURS | WORD_ONCE | WORD_FIRMWARE),
	WORD_END
};

static const char *skip_line(const char *p)
{
	return p + strcspn(p, "\n");
}

/*
 * The next word at or after p, past comments; its end is nbd_word_end().  begin
 * is the beginning of the text.
 */
static const char *next_word(const char *p, const char *begin)
{
	for (;;) {
		size_t n = strspn(p, NBD_BLANKS);
		bool first = p == begin || memchr(p, '\n', n);

		p += n;
		if (*p != '#' || !first)
			return p;
		p = skip_line(p);
	}
}

/* "FS0:\\nbdboot.efi", which a shell may quote, or "nbdboot". */
static bool is_program(const char *p, size_t len)
{
	if (len > 1 && *p == '"' && p[len - 1] == '"') {
		p++;
		len -= 2;
	}
	if (len > 4 && !strncasecmp(p + len - 4, ".efi", 4))
		len -= 4;
	else if (len < 7 || strncasecmp(p + len - 7, "nbdboot", 7) != 0)
		return false;
	return !memchr(p, '=', len);
}

bool boot_conf_any(const char *text)
{
	const char *p = next_word(text, text), *end = nbd_word_end(p);

	return *p &&
	       (!is_program(p, (size_t)(end - p)) || *next_word(end, text));
}

/* The value of the word NAME=VALUE of len bytes, or NULL. */
static const char *value_of(const char *p, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && !memcmp(p, name, n) ? p + n : NULL;
}

static char *keep(struct boot_conf *c, const char *p, size_t len)
{
	char *to = c->text + c->used;

	/* less than the whole text, which has the same size */
	memcpy(to, p, len);
	to[len] = '\0';
	c->used += len + 1;
	return to;
}

static int add_word(struct boot_conf *c, const char *p, size_t len,
		    struct nbd_diag *d)
{
	size_t n = strlen(c->words);

	if (len + 2 > sizeof(c->words) - n)
		return nbd_diag(d, NBD_E_USAGE, "longer than %d bytes",
				CMDLINE_MAX - 1);
	if (n)
		c->words[n++] = ' ';
	memcpy(c->words + n, p, len);
	c->words[n + len] = '\0';
	return NBD_OK;
}

static int take_initrd(struct boot_conf *c, const char *value, size_t len,
		       struct nbd_diag *d)
{
	char *kept;

	if (c->initrds == CONF_INITRDS)
		return nbd_diag(d, NBD_E_USAGE,
				"more than %d times initrd=", CONF_INITRDS);
	kept = keep(c, value, len);
	c->initrd[c->initrds] = kept;
	return boot_hash_split(kept, &c->initrd_hash[c->initrds++], d);
}

static int take_word(struct boot_conf *c, const char *p, size_t len,
		     struct nbd_diag *d)
{
	const char *v = value_of(p, len, "initrd=");

	if (v && c->kernel)
		return take_initrd(c, v, (size_t)(p + len - v), d);
	if (value_of(p, len, "kernel="))
		return NBD_OK;
	c->bootif |= value_of(p, len, "BOOTIF=") != NULL;
	c->for_kernel |= !(boot_words_scope(p, len) & WORD_FIRMWARE);
	return add_word(c, p, len, d);
}

/* The words are known to be short enough before any is kept. */
static int find_kernel(struct boot_conf *c, const char *text,
		       struct nbd_diag *d)
{
	const char *p = next_word(text, text), *end, *v;
	char *found = NULL;

	for (; *p; p = next_word(end, text)) {
		end = nbd_word_end(p);
		v = value_of(p, (size_t)(end - p), "kernel=");
		if (v)
			found = keep(c, v, (size_t)(end - v));
	}
	c->kernel = found;
	return found ? boot_hash_split(found, &c->kernel_hash, d) : NBD_OK;
}

/* What is not checked could do anything before the rest is started. */
static int check_hashes(const struct boot_conf *c, struct nbd_diag *d)
{
	for (unsigned i = 0; i < c->initrds; i++)
		if (!c->kernel_hash != !c->initrd_hash[i])
			return nbd_diag(d, NBD_E_USAGE,
					"sha256= is needed for kernel= and "
					"each initrd=, or for none: %s",
					c->kernel_hash ? c->initrd[i]
						       : c->kernel);
	return NBD_OK;
}

/* The spec, from the words, or from them and "netroot=dhcp". */
static int parse_root(struct boot_conf *c, struct nbd_diag *d)
{
	char line[CMDLINE_MAX];
	int rc = boot_cmdline_parse(&c->cmd, c->words, d);

	if (rc)
		return rc;
	if (!root_named(&c->cmd)) {
		if (nbd_fmt(line, sizeof(line), "netroot=dhcp %s", c->words) <
		    0)
			return nbd_diag(d, NBD_E_USAGE, "too long");
		rc = boot_cmdline_parse(&c->cmd, line, d);
	}
	/* a root= of the kernel's may be made of what we only read from */
	return rc ? rc : root_parse_server(&c->root, &c->cmd, d);
}

int boot_conf_parse(struct boot_conf *c, const char *text, struct nbd_diag *d)
{
	const char *p = next_word(text, text), *end;
	bool first = true;
	int rc;

	memset(c, 0, sizeof(*c));
	if (strlen(text) >= CMDLINE_MAX)
		return nbd_diag(d, NBD_E_USAGE, "longer than %d bytes",
				CMDLINE_MAX - 1);
	rc = find_kernel(c, text, d);
	for (; *p && !rc; p = next_word(end, text)) {
		end = nbd_word_end(p);
		if (!first || !is_program(p, (size_t)(end - p)))
			rc = take_word(c, p, (size_t)(end - p), d);
		first = false;
	}
	if (!rc)
		rc = check_hashes(c, d);
	return rc ? rc : parse_root(c, d);
}
