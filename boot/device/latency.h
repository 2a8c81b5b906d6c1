/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a device's requests take, and whether its network or its server
 * makes them slow.  A figure is the difference of two samples.
 */
#ifndef BOOT_DEVICE_LATENCY_H
#define BOOT_DEVICE_LATENCY_H

#include "boot/device/device.h"

struct device_sample {
	uint64_t ns; /* nbd_now_ns() */
	struct nbdk_stat stat;
	bool counted;	  /* the connections below are known */
	unsigned live;	  /* connections */
	uint32_t rtt;	  /* us, see below */
	uint64_t retries; /* retransmitted segments of all connections */
};

enum device_slow {
	DEVICE_IDLE,	/* no request was answered, and none waits */
	DEVICE_SILENT,	/* requests wait, and none was answered */
	DEVICE_DEAD,	/* and no connection is alive */
	DEVICE_UNKNOWN, /* the connections are not known */
	DEVICE_NETWORK, /* half of the latency or more is the network's */
	DEVICE_SERVER,
};

struct device_latency {
	uint64_t ms; /* the time between the two samples, at least 1 */
	struct nbdk_count kind[NBDK_KINDS];
	uint64_t n; /* requests of all kinds */
	unsigned in_flight;
	/*
	 * us, the mean of all requests: latency = network + server.  The
	 * network's part is the round trip; the rest is the server's, together
	 * with the time to transfer the data and to wait in this machine.
	 */
	uint32_t latency, network, server;
	uint64_t retries;
	enum device_slow slow;
};

/*
 * Takes a sample of a device after device_read().
 *
 * Its rtt is the mean over the live connections, of the smallest round trip
 * of each in the last minutes.  The smoothed one would not do: it contains the
 * server's time where the acknowledgement of a request comes with the answer.
 */
void device_sample(struct device_sample *s, const struct device *dev);

/* What happened between two samples of a device. */
void device_latency(struct device_latency *l,
		    const struct device_sample *before,
		    const struct device_sample *after);

/* "idle", "server" and so on. */
const char *device_slow_text(enum device_slow slow);

/* The mean of one kind of request in us; 0 if there was none. */
uint32_t device_mean(const struct nbdk_count *c);

#endif
