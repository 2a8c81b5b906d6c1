/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/verity/wanted.h"

#include <string.h>

#include "core/nbd_uri.h"

/* In place of the star is what is verified: "root" or "usr". */
#define ROOT	"*hash="
#define DATA	"systemd.verity_*_data="
#define HASH	"systemd.verity_*_hash="
#define OPTIONS "systemd.verity_*_options="
#define POLICY	"nbdboot.verity="

static int wrong(const struct verity_wanted *w, struct nbd_diag *d,
		 const char *word, const char *value, size_t len,
		 const char *why)
{
	size_t star = strcspn(word, "*");
	const char *rest = word + star;

	return nbd_diag(d, NBD_E_USAGE, "%.*s%s%s%.*s: %s", (int)star, word,
			*rest ? w->of : "", *rest ? rest + 1 : "", (int)len,
			value, why);
}

/* ---- texts ---- */

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int verity_unhex(uint8_t *to, size_t most, const char *p, size_t len)
{
	if (len % 2 || len / 2 > most)
		return -1;
	for (size_t i = 0; i < len; i += 2) {
		int high = nibble(p[i]), low = nibble(p[i + 1]);

		if (high < 0 || low < 0)
			return -1;
		to[i / 2] = (uint8_t)(high << 4 | low);
	}
	return (int)(len / 2);
}

void verity_hex(char *text, const uint8_t *p, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (; len; len--, p++) {
		*text++ = digits[*p >> 4];
		*text++ = digits[*p & 15];
	}
	*text = '\0';
}

const char *verity_algorithm(const struct verity_wanted *w)
{
	return w->digest == 32 ? "sha256" : "sha512";
}

void verity_part(char part[VERITY_PART], const struct verity_wanted *w,
		 bool last)
{
	const uint8_t *p = w->root + (last ? w->digest - 16 : 0);
	char hex[33];

	verity_hex(hex, p, 16);
	nbd_fmt(part, VERITY_PART, "PARTUUID=%.*s-%.*s-%.*s-%.*s-%.*s", 8, hex,
		4, hex + 8, 4, hex + 12, 4, hex + 16, 12, hex + 20);
}

/* ---- devices ---- */

/* Of /dev/nbdN the number is that of one boot: the root's device is meant. */
static const char *part_of_device(const char *p)
{
	p += strspn(p, "0123456789");
	if (!*p)
		return p;
	return *p == 'p' && nbd_number(p + 1, 1, 255) > 0 ? p + 1 : NULL;
}

int verity_named(const struct verity_wanted *w, const char **part,
		 const char *word, const char *value, struct nbd_diag *d)
{
	static const char nbd[] = "/dev/nbd";
	size_t len = strlen(value);

	*part = NULL;
	if (!value[0])
		return wrong(w, d, word, value, 0, "the value is missing");
	if (!strncmp(value, "PARTUUID=", 9) ||
	    !strncmp(value, "PARTLABEL=", 10))
		*part = value;
	else if (!strncmp(value, nbd, sizeof(nbd) - 1))
		*part = part_of_device(value + sizeof(nbd) - 1);
	else if (nbd_is_uri(value))
		return wrong(w, d, word, value, len,
			     "this has to be in the export of root=");
	if (*part)
		return NBD_OK;
	return wrong(w, d, word, value, len,
		     "not PARTUUID=, PARTLABEL= or /dev/nbdN[pM] (before it "
		     "is verified no file system is looked for)");
}

/* ---- options ---- */

/*
 * Options that are not possible here, or that have no effect (why is NULL).  A
 * name that ends in '-' is the beginning of several.
 */
static const struct {
	const char *name, *why;
} others[] = {
	{ "ignore-corruption", "it would let wrong data through" },
	{ "check-at-most-once",
	  "a server may answer differently the second time" },
	{ "root-hash-signature",
	  "whoever can change the hash can leave it out: sign the image that "
	  "has both (make uki)" },
	{ "uuid", NULL },
};

static bool is_other(const char *other, const char *p, size_t name)
{
	size_t len = strlen(other);

	return (name == len || (name > len && other[len - 1] == '-')) &&
	       !memcmp(p, other, len);
}

/* Of the len bytes at p, the first `name` bytes are the name. */
static int other(const struct verity_wanted *w, const char *p, size_t name,
		 size_t len, struct nbd_diag *d)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is_other(others[i].name, p, name))
			return others[i].why ? wrong(w, d, OPTIONS, p, len,
						     others[i].why)
					     : NBD_OK;
	return wrong(w, d, OPTIONS, p, len, "not known");
}

static bool take_block(uint64_t *to, const char *p, size_t len)
{
	long n = nbd_numbern(p, len, 512, 4096);

	*to = (uint64_t)n;
	return n > 0 && !(n & (n - 1));
}

/* As systemd's parse_boolean(), its usual words. */
static bool is_no(const char *p, size_t len)
{
	return (len == 1 && (*p == '0' || *p == 'n')) ||
	       (len == 2 && !memcmp(p, "no", 2)) ||
	       (len == 5 && !memcmp(p, "false", 5)) ||
	       (len == 3 && !memcmp(p, "off", 3));
}

static bool take_salt(struct verity_wanted *w, const char *p, size_t len)
{
	int n = len == 1 && *p == '-'
			? 0
			: verity_unhex(w->salt, VERITY_SALT, p, len);

	w->salted = true;
	w->salt_len = n < 0 ? 0 : (unsigned)n;
	return n >= 0;
}

static bool take_all(uint64_t *to, const char *p, size_t len)
{
	const char *end = p + len;

	return nbd_take_number(&p, end, INT64_MAX, to) && p == end;
}

/* The value is a piece of the text of all options. */
static int take_codes(struct verity_wanted *w, const char *value, size_t len,
		      struct nbd_diag *d)
{
	static const char word[] = OPTIONS "fec-device=";
	char text[VERITY_NAMED];
	const char *part;
	int rc;

	if (len >= sizeof(text))
		return wrong(w, d, word, value, len, "too long");
	memcpy(text, value, len);
	text[len] = '\0';
	rc = verity_named(w, &part, word, text, d);
	/* not "if (rc)": clang's analyzer does not see that part is set then */
	if (!part)
		return rc;
	w->fec = true;
	memcpy(w->codes, part, strlen(part) + 1);
	return NBD_OK;
}

/* Takes NAME=VALUE; *known: the name is one of these. */
static bool take_value(struct verity_wanted *w, const char *p, size_t name,
		       const char *value, size_t len, bool *known)
{
#define is(text) (name == sizeof(text) - 1 && !memcmp(p, text, name))
	*known = true;
	if (is("superblock")) {
		w->bare = is_no(value, len);
		return true;
	}
	if (is("data-block-size"))
		return take_block(&w->data_block, value, len);
	if (is("hash-block-size"))
		return take_block(&w->hash_block, value, len);
	if (is("data-blocks"))
		return take_all(&w->data_blocks, value, len) && w->data_blocks;
	if (is("hash-offset"))
		return take_all(&w->hash_offset, value, len) &&
		       !(w->hash_offset % 512);
	if (is("fec-offset"))
		return take_all(&w->codes_at, value, len);
	if (is("fec-roots")) {
		long n = nbd_numbern(value, len, 2, 24);

		w->roots = (unsigned)n;
		return n > 0;
	}
	if (is("salt"))
		return take_salt(w, value, len);
	if (is("format"))
		return len == 1 && *value == '1';
	if (is("hash"))
		return len == 6 && !memcmp(value, verity_algorithm(w), 6);
	*known = false;
	return true;
#undef is
}

static int take_option(struct verity_wanted *w, const char *p, size_t len,
		       struct nbd_diag *d)
{
	const char *equals = memchr(p, '=', len);
	size_t name = equals ? (size_t)(equals - p) : len;
	bool known = false;

	if (len == 21 && !memcmp(p, "restart-on-corruption", 21))
		w->policy = "restart_on_corruption";
	else if (len == 19 && !memcmp(p, "panic-on-corruption", 19))
		w->policy = "panic_on_corruption";
	else if (len == 18 && !memcmp(p, "ignore-zero-blocks", 18))
		w->zero = true;
	else if (name == 10 && equals && !memcmp(p, "fec-device", 10))
		return take_codes(w, equals + 1, len - 11, d);
	else if (equals &&
		 !take_value(w, p, name, equals + 1, len - name - 1, &known))
		return wrong(w, d, OPTIONS, p, len, "not a possible value");
	else if (!known)
		return other(w, p, name, len, d);
	return NBD_OK;
}

static int take_options(struct verity_wanted *w, const char *p,
			struct nbd_diag *d)
{
	int rc = NBD_OK;

	while (*p && !rc) {
		size_t len = strcspn(p, ",");

		if (len)
			rc = take_option(w, p, len, d);
		p += len;
		p += *p == ',';
	}
	return rc;
}

static int take_hash(struct verity_wanted *w, const char *value,
		     struct nbd_diag *d)
{
	if (!nbd_is_uri(value))
		return verity_named(w, &w->hash, HASH, value, d);
	w->tree = value;
	return NBD_OK;
}

/* ---- all of it ---- */

static int take_ours(struct verity_wanted *w, const char *value,
		     struct nbd_diag *d)
{
	if (nbd_is_uri(value))
		w->tree = value;
	else if (!strcmp(value, "restart"))
		w->policy = "restart_on_corruption";
	else if (!strcmp(value, "panic"))
		w->policy = "panic_on_corruption";
	else if (!strcmp(value, "fail"))
		w->policy = "";
	else
		return wrong(w, d, POLICY, value, strlen(value),
			     "not fail, restart, panic or "
			     "nbd://HOST[:PORT]/EXPORT");
	return NBD_OK;
}

int verity_wanted(struct verity_wanted *w, const struct verity_words *words,
		  struct nbd_diag *d)
{
	size_t len = strlen(words->root);
	int rc = NBD_OK;

	memset(w, 0, sizeof(*w));
	w->of = words->of;
	w->data_block = w->hash_block = w->data_blocks = VERITY_UNSET;
	w->hash_offset = VERITY_UNSET;
	w->policy = "";
	w->roots = 2;
	w->digest = (unsigned)(len / 2);
	if ((w->digest != 32 && w->digest != 64) ||
	    verity_unhex(w->root, VERITY_DIGEST, words->root, len) < 0)
		return wrong(w, d, ROOT, words->root, len,
			     "not 64 hexadecimal digits (SHA-256) or 128 "
			     "(SHA-512)");
	if (words->options)
		rc = take_options(w, words->options, d);
	if (!rc && words->data)
		rc = verity_named(w, &w->data, DATA, words->data, d);
	if (!rc && words->hash)
		rc = take_hash(w, words->hash, d);
	if (!rc && words->ours)
		rc = take_ours(w, words->ours, d);
	if (!rc && w->tree && w->hash)
		return wrong(w, d, POLICY, w->tree, strlen(w->tree),
			     "systemd's word names another place");
	if (!rc && words->options && w->bare && w->data_blocks == VERITY_UNSET)
		return wrong(w, d, OPTIONS, words->options,
			     strlen(words->options),
			     "without a superblock data-blocks= is needed");
	return rc;
}
