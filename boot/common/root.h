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
 *	LibreELEC     boot=NBD=h:port[:x]
 *	KIWI          root=overlay:nbd=h:x
 *
 * beside root=/dev/nbdNpM, LABEL=, UUID= and PARTUUID=, which say what on the
 * export is the root.
 *
 * In names of exports, and anywhere in a URI, %h stands for the host name, %m
 * for the MAC address, %u for the system's UUID, %s for its serial number and
 * %% for a percent sign.  None of these is a hexadecimal digit: in a URI, where
 * %41 is an A, they cannot be mistaken; what is filled in is percent-encoded
 * and cannot end a component.  Everywhere else a % before anything else, %41
 * as well, is a plain character.
 */
#ifndef BOOT_COMMON_ROOT_H
#define BOOT_COMMON_ROOT_H

#include "boot/common/cmdline.h"

#define ROOT_URIS 4
#define ROOT_TEXT 16384

/* What stands for %h, %m, %u and %s; NULL: the machine has none. */
enum root_value { ROOT_HOST, ROOT_MAC, ROOT_UUID, ROOT_SERIAL, ROOT_VALUES };

struct root_env {
	const char *value[ROOT_VALUES];
	const char *root_path; /* DHCP's option 17, NULL: none (yet) */
	const char *server;    /* address of the boot server, likewise */
};

/* A number that was not given. */
#define ROOT_UNSET (-1)

/* What was understood.  Strings are NULL if not given. */
struct root_spec {
	const char *uri[ROOT_URIS]; /* canonical, in the order to be tried */
	unsigned uris;	     /* 0 with from_dhcp: DHCP has not told yet */
	bool is_unix;	     /* no network is needed for the first */
	bool from_dhcp;	     /* the server, or all of it, is DHCP's */
	bool overlay;	     /* KIWI's form wants one over the root */
	bool tls;	     /* the URIs say it, too */
	const char *part;    /* as nbdboot.part= */
	const char *fstype;  /* as rootfstype= */
	const char *options; /* as rootflags= */
	int device;	     /* N of nbdN */
	int connections;     /* 1 if nothing else is said */
	/* what nbd-client's options say; times in s */
	int block_size, io_timeout, dead_timeout;
	const char *ca, *cert, *key;
	bool read_only, swap, persist;
	struct nbd_diag note; /* words that have no effect, or "" */
	char text[ROOT_TEXT];
};

/*
 * Understands the words of c, which must outlive r.  Without env only the
 * form is checked: %h and the like stand for themselves, and nothing is known
 * from DHCP.  Pure: reads nothing else.  Returns 0, or NBD_E_USAGE, NBD_E_URI
 * or NBD_E_NOT_FOUND (a value for %h ...) with the reason in d.
 */
int root_parse(struct root_spec *r, const struct cmdline *c,
	       const struct root_env *env, struct nbd_diag *d);

#endif
