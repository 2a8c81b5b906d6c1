/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the parser of the root: what its files share. */
#ifndef BOOT_WORDS_ROOT_PARSE_H
#define BOOT_WORDS_ROOT_PARSE_H

#include "boot/words/root.h"
#include "core/nbd_uri.h"

struct parse {
	struct root_spec *r;
	const struct root_env *env; /* NULL in root_parse() */
	bool control, full;	    /* a control character; r->text is full */
	bool by_path;		    /* the text is that of DHCP's root-path */
	bool server_only;	    /* root= may belong to others */
	unsigned missing; /* 1 + an enum root_value without a value, 0: none */
	struct nbd_diag *d;
};

/* ---- root_text.c ---- */

/* Reports "WORD=VALUE: WHY". */
int root_wrong(const struct parse *in, const char *why);
/* Notes that len bytes at p have no effect. */
void root_note(struct parse *in, const char *p, size_t len);
/*
 * Copies the text to r->text.  A failure (no room, control characters) is
 * recorded in `in` and reported at the end.
 */
const char *root_keep(struct parse *in, const char *p, size_t len);
/*
 * Copies likewise, but fills in %h and the others, for a URI (uri) or a name.
 * If there are any, *raw becomes the original text, to be filled in again.
 */
const char *root_fill(struct parse *in, struct root_slice *raw, const char *p,
		      size_t len, bool uri);
/* Stores the export name of a form that is no URI. */
void root_name(struct parse *in, const char *p, size_t len);

bool root_begins(const char *p, const char *with);
/* Is it "dhcp" or "dhcp6"? */
bool root_is_dhcp(const char *p);

/* ---- root_options.c ---- */

/* Parses nbd-client's options, separated by commas. */
void root_options(struct parse *in, const char *p);

/* ---- root_forms.c ---- */

#define ROOT_NO_PORT "a port that is not 1 to 65535"

/* Parses "nbdN[pM]", with or without /dev/; false: it is something else. */
bool root_device(struct parse *in, const char *p);
/* Parses any form that names a server into r->uri. */
int root_server(struct parse *in, const char *text);
/* Parses a port of len bytes, outside of a URI; NBD_E_URI without a text. */
int root_port(struct parse *in, const char *p, size_t len);
/* Completes and checks r->uri[0], the fields of a form that is no URI. */
int root_finish(struct parse *in);
/* The second step, for URIs and for DHCP's root-path. */
int root_fill_uris(struct parse *in);
int root_from_path(struct parse *in);

#endif
