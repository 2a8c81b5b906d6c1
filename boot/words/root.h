/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the root is: the one parser of every form in which people write it
 * on a kernel command line or in DHCP's root-path.
 *
 *	nbdboot       root=nbd://h/x,nbd://i/x  nbds://  nbd+unix://
 *	dracut        root= or netroot=nbd:h:x[:fstype[:mountopts[:nbdopts]]]
 *	Debian        nbdroot=h,x[,nbd0]  h[:port]/x  h:/x  dhcp[,x[,nbd0]]
 *	mkinitcpio    nbd_host=h nbd_name=x nbd_port=n
 *	archiso       archiso_nbd_srv=h archiso_nbd_name=x
 *	LTSP          nbdroot=h nbdport=n
 *	LibreELEC     boot=NBD=h:port[:x]
 *	QEMU          root=nbd:h:port:exportname=x
 *	KIWI          root=overlay:nbd=h:x
 *
 * together with root=/dev/nbdNpM, LABEL=, UUID=, PARTLABEL= and PARTUUID=,
 * which name the part of the export that holds the root.
 *
 * Parsing has two steps:
 *
 *	command line --root_parse()--> root_spec --root_expand()--> root_spec
 *	                 syntax            machine, lease: root_env
 *
 * Each URI is parsed once, by the first step, and stays a struct nbd_uri.  Two
 * kinds of text wait for the second step, because their values are not known
 * before: a URI with %h, %m, %u or %s in it (the first step parses it with the
 * letter in place of the value, to find mistakes early), and DHCP's root-path.
 * A form that is no URI is never made one: its fields go into the struct.
 *
 * In names of exports, and anywhere in a URI, %h is replaced by the host name,
 * %m by the MAC address, %u by the system's UUID, %s by its serial number and
 * %% by a percent sign.  None of these letters is a hexadecimal digit, so that
 * %41 in a URI remains an A.  In a URI the value is percent-encoded before the
 * URI is parsed, so that it cannot end a component.  Outside of URIs, % before
 * any other character, as in %41, is a plain character.
 */
#ifndef BOOT_WORDS_ROOT_H
#define BOOT_WORDS_ROOT_H

#include "boot/words/cmdline.h"
#include "boot/words/uris.h"
#include "core/nbd_uri.h"

#define ROOT_TEXT 16384

/* The values of %h, %m, %u and %s; NULL: this machine has none. */
enum root_value { ROOT_HOST, ROOT_MAC, ROOT_UUID, ROOT_SERIAL, ROOT_VALUES };

struct root_env {
	const char *value[ROOT_VALUES];
	const char *root_path; /* DHCP's option 17; NULL: none */
	const char *server;    /* address of the boot server; NULL: none */
	unsigned first; /* the URI to begin with; those before it come last */
};

/* A number that was not given. */
#define ROOT_UNSET (-1)

/* A part of a text that the caller owns. */
struct root_slice {
	const char *p; /* NULL: none */
	size_t len;
};

/*
 * The result.  Strings are NULL if not given, and point to text[], to the
 * command line, or (after root_expand()) to the text[] of the other spec.
 */
struct root_spec {
	const struct cmdline *cmd;     /* parsed from this command line */
	struct nbd_uri uri[BOOT_URIS]; /* in the order to be tried */
	unsigned uris;		       /* 0 with from_dhcp: not known yet */
	bool from_dhcp;		       /* DHCP names the server, or all */
	bool overlay;		       /* KIWI's form asks for an overlay */
	bool tls;		       /* some URI has TLS */
	const char *part;	       /* as nbdboot.part= */
	const char *other;   /* a root= that names no part of the device */
	const char *fstype;  /* as rootfstype= */
	const char *options; /* as rootflags= */
	int device;	     /* N of nbdN */
	int connections;     /* at least 1; default 1 */
	/* nbd-client's options; times in s */
	int block_size, io_timeout, dead_timeout;
	const char *ca, *cert, *key; /* paths */
	bool read_only, swap, persist, no_go;
	struct nbd_diag note; /* words that have no effect, or "" */

	/* private: what root_expand() needs */
	enum { ROOT_BY_URI, ROOT_BY_FORM, ROOT_BY_PATH } by;
	const char *word, *value;	  /* the word that names the server */
	struct root_slice raw[BOOT_URIS]; /* with %h: URIs, or the name */
	size_t used;			  /* bytes of text */
	char text[ROOT_TEXT];
};

/* True if a word of c names a server, or asks DHCP for one. */
bool root_named(const struct cmdline *c);

/*
 * For scripts that leave other roots alone: the word of c that names a server
 * ("root", "netroot" ...); "device": root= or nbddev= is an nbd device, and no
 * word names the server; "dhcp": likewise, and netroot= asks DHCP; "": none of
 * these.
 */
const char *root_wanted(const struct cmdline *c);

/*
 * Parses the words of c, which must outlive r.  Pure: reads nothing else.  In
 * r->uri each value is still its letter: %h is h.  Returns 0, or NBD_E_USAGE or
 * NBD_E_URI with the reason in d; one reason is that nbdboot.tls=require
 * forbids a server.
 */
int root_parse(struct root_spec *r, const struct cmdline *c,
	       struct nbd_diag *d);

/*
 * As root_parse(), for those who only connect the server: a root= that is
 * neither a server nor a part of the device is r->other, and no error.
 */
int root_parse_server(struct root_spec *r, const struct cmdline *c,
		      struct nbd_diag *d);

/*
 * Makes r from spec, which root_parse() has filled in and which must outlive r:
 * adds the values of the machine and of DHCP.  env is used only during the
 * call.  spec does not change, so that a retried boot can expand it with another
 * lease.  r->uris may still be 0: then DHCP names no server.  Returns 0, an
 * error as above, or NBD_E_NOT_FOUND: the machine lacks one of the values.
 */
int root_expand(struct root_spec *r, const struct root_spec *spec,
		const struct root_env *env, struct nbd_diag *d);

#endif
