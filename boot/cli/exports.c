/* SPDX-License-Identifier: BSD-2-Clause */
/* The exports that a server lists (NBD_OPT_LIST), one after the other. */
#include "boot/cli/exports.h"

/* No honest list is longer: it would never end. */
#define EXPORTS_MAX 1000000u

/* Prints one entry at a time, so that a long list needs no more memory. */
static int print_all(struct conn *conn, cli_exports_print *print, unsigned *n,
		     struct nbd_diag *d)
{
	uint64_t begin;
	int err = 0;

	while (!err && nbd_state(&conn->c) & NBD_ITEM) {
		if (*n == EXPORTS_MAX)
			return nbd_diag(d, NBD_E_LENGTH,
					"the list goes on after %u exports",
					*n);
		begin = nbd_now_ms();
		print(&conn->c, (*n)++ == 0);
		/* time in which a pager blocks is not the server's */
		conn->deadline += nbd_now_ms() - begin;
		nbd_next(&conn->c);
		err = dial_resume(conn, d);
	}
	return err;
}

int cli_exports(const struct nbd_uri *u, const struct tls_files *files,
		cli_exports_print *print, unsigned *n, struct nbd_diag *d)
{
	const struct nbd_config cfg = { .goal = NBD_GOAL_LIST, .tls = u->tls };
	struct device_tls tls = { .missing = 0 };
	struct conn conn = { .stop = NULL };
	int err = device_tls_dial(&tls, &conn, 1, u, &cfg, files, false, d);

	if (!err)
		err = print_all(&conn, print, n, d);
	if (!err)
		dial_hangup(&conn, 1);
	device_tls_close(&tls);
	return err;
}
