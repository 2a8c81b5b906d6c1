/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's console: UCS-2 out, keys in. */
#include "port/uefi/uefi.h"

#include "port/utf8.h"

/* Characters of one call. */
#define LINE 128

static void put(efi_char line[LINE], size_t *n, efi_char c)
{
	line[(*n)++] = c;
	if (*n < LINE - 2)
		return;
	line[*n] = 0;
	efi.st->out->output(efi.st->out, line);
	*n = 0;
}

static void flush(struct nbd_out *o)
{
	efi_char line[LINE];
	size_t n = 0, i = 0, len;

	while (i < o->len) {
		len = nbd_utf8_valid(o->buf + i, o->len - i);
		if (o->buf[i] == '\n')
			put(line, &n, '\r');
		/* UCS-2 lacks those of 4 bytes */
		put(line, &n,
		    len && len < 4 ? (efi_char)nbd_utf8_point(o->buf + i, len)
				   : '?');
		i += len ? len : 1;
	}
	line[n] = 0;
	efi.st->out->output(efi.st->out, line);
	o->len = 0;
}

void efi_print(const char *fmt, ...)
{
	char buf[256];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf), .flush = flush };
	va_list ap;

	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	flush(&o);
}

bool efi_key(struct efi_key *k)
{
	struct efi_text_in *in = efi.st->in;

	return in && !in->read_key(in, k);
}
