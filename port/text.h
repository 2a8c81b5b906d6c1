/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text for people and programs, in fixed buffers and without stdio, so that the
 * same printer serves Linux, firmware and bare metal.  Nothing here allocates.
 *
 * Formats are a subset of printf's: %s %.*s %.9s %c %d %u %x with the lengths l,
 * ll and z, a width, the flags '-' and '0', and %%.
 */
#ifndef NBD_TEXT_H
#define NBD_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Prints into a buffer, without escaping %s.  cap > 0; always NUL-terminated.
 * Returns the length, or NBD_E_NO_MEMORY if it was cut.
 */
int nbd_fmt(char *buf, size_t cap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The text as a decimal number, or -1 if it is not one from min to max.
 * 0 <= min.
 */
long nbd_number(const char *text, long min, long max);
/* The same of len bytes. */
long nbd_numbern(const char *p, size_t len, long min, long max);

/*
 * Moves *p, which is before `end`, past a decimal number.  False: there is
 * none, or it is more than max.
 */
bool nbd_take_number(const char **p, const char *end, uint64_t max,
		     uint64_t *n);

/* The characters that end a word of the kernel's command line. */
#define NBD_BLANKS " \t\n\v\f\r"

/*
 * Where such a word ends: at a blank that is not between double quotes
 * (next_arg() in the kernel's lib/cmdline.c), or at the end of the text.
 */
const char *nbd_word_end(const char *p);

/*
 * Where text is printed.  When buf is full, flush() is called and may empty it
 * (len = 0).  Without flush(), cut is set and the rest is dropped.  Only
 * nbd_put() cuts an escape or a character in two.
 */
struct nbd_out {
	char *buf;
	size_t cap, len;
	bool cut;
	void (*flush)(struct nbd_out *o);
	int fd; /* for flush() */
};

/* The bytes as they are. */
void nbd_put(struct nbd_out *o, const char *p, size_t len);
/*
 * Escaped for a terminal or a log.  Each byte of a control character, of
 * invalid UTF-8, and of a character without width or that changes the direction
 * becomes \xNN; a backslash becomes \\ .  The result is printable UTF-8 on one
 * line.
 */
void nbd_put_safe(struct nbd_out *o, const char *p, size_t len);
/* A JSON string with its quotes; invalid UTF-8 becomes U+FFFD. */
void nbd_put_json(struct nbd_out *o, const char *p, size_t len);
/* The address of len bytes, 4 or 16: "192.0.2.1", "fd00::1" (RFC 5952). */
void nbd_put_ip(struct nbd_out *o, const void *ip, size_t len);
/* "52:54:00:12:34:56" */
void nbd_put_mac(struct nbd_out *o, const unsigned char mac[6]);
/* p escaped for the single quotes of a shell; NULL: nothing. */
void nbd_put_quoted(struct nbd_out *o, const char *p);
/* %s and %c are escaped; a width counts bytes before that. */
void nbd_putf(struct nbd_out *o, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void nbd_vputf(struct nbd_out *o, const char *fmt, va_list ap);

#endif
