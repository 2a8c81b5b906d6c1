/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of a side that is an export. */
#ifndef BOOT_COPY_LINK_H
#define BOOT_COPY_LINK_H

#include "boot/device/identity.h"
#include "boot/device/tls.h"
#include "core/nbd_io.h"
#include "core/nbd_uri.h"
#include "port/retry.h"

struct copy_options;
struct side;

/* The most connections of one side. */
#define COPY_LINKS CONFIG_PORT_MAX_CONNECTIONS

/* Wraps the transport of a connection to send pages of a file unread. */
struct page_sender {
	struct nbd_transport t;
	struct nbd_transport *below;
	struct side *side;
	int fd;
};

/*
 * The connections to a server; all zero before copy_side_open_nbd().
 *
 *	n connections --one fails--> leave all --dial--> is it the same? --> n
 *	                                          ^--pause--'
 */
struct copy_link {
	const struct nbd_uri *uri;
	const struct copy_options *o;
	unsigned wanted; /* connections */
	struct nbd_retry retry;
	uint64_t away;	 /* ms; since when no request was answered, 0: it is */
	uint64_t slept;	 /* ms of suspend_ms(), at the last try */
	bool answered;	 /* a request was, ever */
	bool refused;	 /* a read of the source was, as invalid */
	unsigned silent; /* silences in a row */
	unsigned failures; /* outages in a row */
	uint64_t low; /* how far the copy was at the last one, of a source */
	struct conn conns[COPY_LINKS];
	struct nbd_io io[COPY_LINKS];
	struct page_sender pages[COPY_LINKS];
	struct device_tls tls;
	unsigned n;
	uint16_t flags;
	struct nbd_latency *latency;
	/* the known part of the allocation map, from ext_at on */
	struct nbd_extent ext[1024];
	unsigned n_ext;
	uint64_t ext_at;
	bool asking, no_map;
	enum { NOT_FLUSHED, FLUSHING, FLUSHED } flush;
	/* of a source: its identity ("": it has none), and its reader */
	char identity[DEVICE_IDENTITY_TEXT];
	struct device_reader reader;
};

#endif
