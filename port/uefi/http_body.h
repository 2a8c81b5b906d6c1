/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the body of an answer of HTTP/1.1 ends.  Pure: no firmware. */
#ifndef PORT_UEFI_HTTP_BODY_H
#define PORT_UEFI_HTTP_BODY_H

#include <stdbool.h>
#include <stddef.h>

/* The length of a body; all zeros: it ends with the connection. */
struct efi_http_body {
	bool has_length, chunked;
	bool wrong; /* lengths that differ, or an encoding that nobody asked for */
	size_t length;
};

/* Takes one header of the answer: RFC 9112, 6. */
void efi_http_body_header(struct efi_http_body *b, const char *name,
			  const char *value);

/*
 * Looks for the end in the first n bytes as they came; closed: no more will
 * come.  Returns the length of the content, which is at buf then; NBD_E_AGAIN:
 * more is to come; NBD_E_CUT; or NBD_E_PROTOCOL.
 */
int efi_http_body_end(const struct efi_http_body *b, char *buf, size_t n,
		      bool closed);

#endif
