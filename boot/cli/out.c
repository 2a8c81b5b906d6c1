/* SPDX-License-Identifier: BSD-2-Clause */
/* Standard output and standard error. */
#include "boot/cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static char out_buf[1024];
static int out_errno;

static bool write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static void flush_out(struct nbd_out *o)
{
	if (!out_errno && !write_all(o->fd, o->buf, o->len))
		out_errno = errno;
	o->len = 0;
}

void cli_flush_error(struct nbd_out *o)
{
	write_all(2, o->buf, o->len);
	o->len = 0;
}

struct nbd_out cli_out = {
	.buf = out_buf, .cap = sizeof(out_buf), .flush = flush_out, .fd = 1
};

/* Writes each message at once, so that those of two commands do not mix. */
static void print_error(struct nbd_out *o)
{
	cli_out.flush(&cli_out);
	if (o->len == o->cap)
		o->len--;
	o->buf[o->len++] = '\n';
	write_all(2, o->buf, o->len);
}

int cli_flush(void)
{
	struct nbd_diag d;

	flush_out(&cli_out);
	if (!out_errno)
		return CLI_OK;
	return cli_fail("standard output",
			nbd_diag(&d, NBD_E_IO, "the output is incomplete"), &d);
}

/* A text about a server or a device may name it already. */
static bool names(const char *text, const char *subject)
{
	size_t len = strlen(subject);

	return !strncmp(text, subject, len) &&
	       (!strncmp(text + len, ": ", 2) || text[len] == ' ');
}

/* One hint is enough: that of the text is about this very failure. */
static bool has_hint(const char *text, size_t len)
{
	return len && text[len - 1] == ')';
}

/* An explanation is escaped already. */
static void print_about(const char *subject, const char *text, const char *hint)
{
	char buf[2048];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

	nbd_putf(&o, "nbdboot: ");
	if (!names(text, subject))
		nbd_putf(&o, "%.*s: ", 512, subject);
	nbd_put(&o, text, strlen(text));
	if (hint[0] && !has_hint(text, strlen(text)))
		nbd_putf(&o, " (%s)", hint);
	print_error(&o);
}

void cli_warn(const char *subject, const struct nbd_diag *d)
{
	if (d->text[0])
		print_about(subject, d->text, "");
}

int cli_fail(const char *subject, int err, const struct nbd_diag *d)
{
	const char *text = d && d->text[0] ? d->text : nbd_err_text(err);

	print_about(subject, text, nbd_err_hint(err));
	return err == NBD_E_USAGE || err == NBD_E_URI ? CLI_USAGE : CLI_FAILED;
}

int cli_usage(const char *command, const char *fmt, ...)
{
	char buf[1024];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };
	va_list ap;

	nbd_putf(&o, command[0] ? "nbdboot: %s: " : "nbdboot: %s", command);
	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	if (!has_hint(o.buf, o.len))
		nbd_putf(&o,
			 cli_find("help") ? " (see `nbdboot help%s%s`)"
					  : " (see nbdboot(8))",
			 command[0] ? " " : "", command);
	print_error(&o);
	return CLI_USAGE;
}

int cli_extra(const char *command, char *const words[], unsigned max)
{
	for (unsigned n = 0; words[n] && max != CLI_ANY; n++)
		if (n == max)
			return cli_usage(command, "extra operand \"%s\"",
					 words[n]);
	return CLI_OK;
}

void cli_put_size(uint64_t size)
{
	static const char unit[] = "BKMGTPE";
	unsigned i = 0;
	uint64_t tenths = size;

	cli_putf("%llu", (unsigned long long)size);
	while (tenths >= 1024 && (i == 0 || tenths >= 10240)) {
		/*
		 * from the first division on in tenths, so that .1 is not lost
		 */
		tenths = i == 0 ? tenths / 1024 * 10 + tenths % 1024 / 103
				: tenths / 1024;
		i++;
	}
	if (i)
		cli_putf(" (%llu.%u%c)", (unsigned long long)(tenths / 10),
			 (unsigned)(tenths % 10), unit[i]);
}
