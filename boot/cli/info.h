/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of nbdboot info while it asks a server. */
#ifndef BOOT_CLI_INFO_H
#define BOOT_CLI_INFO_H

#include "boot/cli/cli.h"
#include "core/nbd_io.h"
#include "port/latency.h"
#include "port/dial.h"

struct cli_info {
	struct cli_server server;
	bool json, map, latency, simple;
};

/* What is in the export; text of it is not safe to print. */
struct info_holds {
	bool looked;	/* this build looks at what it is */
	char what[160]; /* "ext4", or what it is and what to do; "" unknown */
	char label[260], uuid[37];
};

struct info {
	const struct cli_info *o; /* the options */
	const char *subject;	  /* as on the command line */
	struct nbd_diag *d;
	struct conn conn;
	struct device_tls tls;
	struct nbd_io io;
	struct nbd_latency times;
	struct info_holds holds;
};

/*
 * Reads at scattered places and adds up in i->times how long that takes.  0, or
 * an error with the reason in i->d; likewise below.
 */
int cli_info_sample(struct info *i);

/*
 * Prints which parts of the export are data, hole and zero.  If the server
 * reports no allocation, all of it is shown as data, and a message reports
 * that.
 */
int cli_info_map(struct info *i);

/* Reads len bytes at `at`, which are whole blocks of the server. */
int cli_info_read(struct info *i, uint64_t at, void *buf, size_t len);

/* Reads the ends of the export, and sets i->holds; noholds.c does nothing. */
int cli_info_holds(struct info *i);

#endif
