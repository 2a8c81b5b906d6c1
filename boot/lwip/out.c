/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of nbdboot-lwip. */
#include "boot/lwip/lwip.h"

#include <unistd.h>

static void flush(struct nbd_out *o)
{
	size_t done = 0;

	while (done < o->len) {
		ssize_t n = write(o->fd, o->buf + done, o->len - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	o->len = 0;
}

void lwip_say(int fd, const char *fmt, ...)
{
	char buf[512];
	struct nbd_out o = {
		.buf = buf, .cap = sizeof(buf), .flush = flush, .fd = fd
	};
	va_list ap;

	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	flush(&o);
}
