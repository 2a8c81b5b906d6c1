/* SPDX-License-Identifier: BSD-2-Clause */
/* The explanation of a failure. */
#include "port/port.h"

#include <string.h>

static struct nbd_out text_of(struct nbd_diag *d)
{
	return (struct nbd_out){ .buf = d->text, .cap = sizeof(d->text) - 1 };
}

int nbd_diag(struct nbd_diag *d, int err, const char *fmt, ...)
{
	struct nbd_out o;
	va_list ap;

	if (!d)
		return err;
	o = text_of(d);
	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	d->text[o.len] = '\0';
	return err;
}

int nbd_diag_prefix(struct nbd_diag *d, int err, const char *fmt, ...)
{
	struct nbd_diag cause;
	struct nbd_out o;
	va_list ap;

	if (!d)
		return err;
	cause = *d;
	o = text_of(d);
	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	nbd_putf(&o, ": ");
	/* it is escaped already */
	nbd_put(&o, cause.text, strlen(cause.text));
	d->text[o.len] = '\0';
	return err;
}
