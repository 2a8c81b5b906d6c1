/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the parser share. */
#ifndef BOOT_COMMON_ROOT_PARSE_H
#define BOOT_COMMON_ROOT_PARSE_H

#include "boot/common/root.h"
#include "core/nbd_uri.h"

/* What is used most comes first: its offset fits a byte. */
struct parse {
	struct root_spec *r;
	const struct root_env *env;
	size_t used; /* of r->text */
	bool control, full;
	unsigned missing; /* 1 + enum root_value of what is not known */
	struct nbd_diag *d;
	const char *word, *value; /* what is being read, for messages */
	struct nbd_out note;
	struct nbd_uri u; /* of the forms that are no URI */
};

/* "WORD=VALUE: WHY" */
int root_wrong(const struct parse *s, const char *why);
/* Notes that len bytes at p have no effect. */
void root_note(struct parse *s, const char *p, size_t len);
/*
 * Copies to r->text.  What is wrong with it (it does not fit, or has control
 * characters) is kept in s and told at the end: s has the last word.
 */
const char *root_keep(struct parse *s, const char *p, size_t len);
/* Likewise with %h and the others filled in, for a name or (uri) a URI. */
const char *root_fill(struct parse *s, const char *p, size_t len, bool uri);

/* nbd-client's options, with commas between them (options.c). */
void root_options(struct parse *s, const char *p);

bool root_begins(const char *p, const char *with);
/* dhcp, dhcp6 */
bool root_is_dhcp(const char *p);

/* "nbdN[pM]", with or without /dev/; false: it is none (forms.c). */
bool root_device(struct parse *s, const char *p);
/* Any form that names a server: into r->uri (forms.c). */
int root_server(struct parse *s, const char *text);
/* The URI of s->u, into r->uri. */
int root_finish(struct parse *s);

#endif
