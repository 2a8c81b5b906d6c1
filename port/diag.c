/* SPDX-License-Identifier: BSD-2-Clause */
/* The explanation of a failure. */
#include "port/port.h"

int nbd_diag(struct nbd_diag *d, int err, const char *fmt, ...)
{
	struct nbd_out o;
	va_list ap;

	if (!d)
		return err;
	o = (struct nbd_out){ .buf = d->text, .cap = sizeof(d->text) - 1 };
	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	d->text[o.len] = '\0';
	return err;
}
