/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stranger sent is printed: printable, one line, in bounds, whole. */
#include "port/text.h"
#include "port/utf8.h"
#include "core/nbd.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char whole[8192 * 6 + 3], pieces[sizeof(whole)];
static size_t pieces_len;

static void must(bool yes)
{
	if (!yes)
		abort();
}

static void collect(struct nbd_out *o)
{
	memcpy(pieces + pieces_len, o->buf, o->len);
	pieces_len += o->len;
	o->len = 0;
}

/* Prints p twice: into a large buffer, and through one of cap bytes. */
static size_t print(void (*put)(struct nbd_out *, const char *, size_t),
		    const char *p, size_t len, size_t cap)
{
	struct nbd_out big = { .buf = whole, .cap = sizeof(whole) };
	struct nbd_out small = { .cap = cap, .flush = collect };

	put(&big, p, len);
	must(!big.cut);
	small.buf = malloc(cap);
	pieces_len = 0;
	put(&small, p, len);
	collect(&small);
	free(small.buf);
	must(pieces_len == big.len && !memcmp(whole, pieces, big.len));
	return big.len;
}

static void all_printable(const char *p, size_t len)
{
	while (len) {
		size_t n = nbd_utf8_printable(p, len);

		must(n > 0 && n <= len && n <= 4);
		must(n > 1 || (*p >= ' ' && *p < 0x7f));
		p += n;
		len -= n;
	}
}

/* Turns \xNN and \\ back. */
static void unescapes_to(const char *s, size_t n, const char *p, size_t len)
{
	size_t i = 0;

	for (; n; len--) {
		char c = *s++, two[3] = { 0 };

		must(len > 0);
		n--;
		if (c == '\\') {
			must(n > 0);
			if (*s == 'x') {
				must(n >= 3);
				memcpy(two, s + 1, 2);
				c = (char)strtoul(two, NULL, 16);
				s += 3;
				n -= 3;
			} else {
				must(*s == '\\');
				s++;
				n--;
			}
		}
		must(c == p[i++]);
	}
	must(len == 0);
}

/* Quotes at the ends, none bare within, escapes that JSON knows. */
static void is_json_string(const char *s, size_t n)
{
	must(n >= 2 && s[0] == '"' && s[n - 1] == '"');
	for (size_t i = 1; i < n - 1; i++) {
		must(s[i] != '"');
		if (s[i] != '\\')
			continue;
		i++;
		must(i < n - 1 && strchr("\\\"u", s[i]));
		if (s[i] == 'u')
			must(i + 4 < n - 1 &&
			     strspn(s + i + 1, "0123456789abcdef") >= 4);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len, cap;
	char *p, cut[64];

	if (size < 1 || size > 8192)
		return 0;
	cap = 1 + data[0] % 16u;
	/* its own allocation: one byte beyond it is seen */
	p = malloc(--size ? size : 1);
	memcpy(p, data + 1, size);

	len = print(nbd_put_safe, p, size, cap);
	all_printable(whole, len);
	unescapes_to(whole, len, p, size);
	len = print(nbd_put_json, p, size, cap);
	all_printable(whole, len);
	is_json_string(whole, len);
	len = print(nbd_put, p, size, cap);
	must(len == size && !memcmp(whole, p, size));

	nbd_fmt(cut, 1 + data[0] % sizeof(cut), "%.*s", (int)size, p);
	must(strlen(cut) <= data[0] % sizeof(cut));
	free(p);
	return 0;
}
