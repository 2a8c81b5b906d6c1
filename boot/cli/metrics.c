/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices in the text format of Prometheus, for the textfile collector of
 * node_exporter.  All samples of a metric have to stand together.
 */
#include "boot/cli/metrics.h"

#include <string.h>

struct row {
	int index;
	bool known, read_only;
	unsigned wanted, slots;
	uint64_t size;
	struct device_sample s;
};

struct metrics {
	struct device dev;
	unsigned n, left_out;
	struct row row[CLI_METRICS];
};

static void take(struct metrics *m, int index)
{
	struct device *dev = &m->dev;
	int err = device_read(dev, index, NULL);
	struct row *r = &m->row[m->n];

	if (err == NBD_E_NO_DEVICE)
		return;
	if (m->n == CLI_METRICS) {
		m->left_out++;
		return;
	}
	m->n++;
	*r = (struct row){ .index = index,
			   .known = dev->known,
			   .read_only = dev->info.read_only,
			   .wanted = dev->wanted,
			   .slots = dev->known ? device_backend_slots(&dev->b)
					       : 0,
			   .size = dev->info.size };
	device_sample(&r->s, dev);
}

/* ---- each metric, and how to get it from a row ---- */

enum metric {
	SIZE,
	READ_ONLY,
	LIVE,
	WANTED,
	SLOTS,
	IN_FLIGHT,
	RTT,
	RETRANSMITS,
	REQUESTS, /* from here on for each kind of request */
	BYTES,
	SECONDS,
	METRICS,
};

static const struct {
	const char *name, *help;
} metrics[METRICS] = {
	[SIZE] = { "size_bytes", "Size of the device." },
	[READ_ONLY] = { "read_only", "1 if it cannot be written." },
	[LIVE] = { "connections_live", "Connections that are alive." },
	[WANTED] = { "connections_wanted", "Connections that are wanted." },
	[SLOTS] = { "connections_room", "Connections there is room for." },
	[IN_FLIGHT] = { "in_flight", "Requests that wait for an answer." },
	[RTT] = { "network_rtt_seconds", "Smallest recent round trip." },
	[RETRANSMITS] = { "retransmits_total",
			  "Segments retransmitted by the present connections." },
	[REQUESTS] = { "requests_total", "Answered requests." },
	[BYTES] = { "bytes_total", "Data of these requests." },
	[SECONDS] = { "request_seconds_total", "Time of these requests." },
};

/* Thousandths and millionths, as a decimal fraction. */
static void put_fraction(uint64_t n, unsigned digits)
{
	uint64_t unit = digits == 3 ? 1000 : 1000000;

	cli_putf("%llu.", (unsigned long long)(n / unit));
	for (n %= unit; (unit /= 10); n %= unit)
		cli_putf("%u", (unsigned)(n / unit));
}

static uint64_t value(const struct row *r, enum metric m)
{
	switch (m) {
	case SIZE:
		return r->size;
	case READ_ONLY:
		return r->read_only;
	case LIVE:
		return r->s.live;
	case WANTED:
		return r->wanted;
	case SLOTS:
		return r->slots;
	case IN_FLIGHT:
		return r->s.stat.in_flight;
	default:
		return r->s.retries;
	}
}

static void put_kinds(const struct row *r, enum metric m)
{
	static const char *const kinds[] = { "read", "write", "discard",
					     "flush" };

	for (unsigned i = 0; i < NBDK_KINDS; i++) {
		const struct nbdk_count *c = &r->s.stat.kind[i];

		cli_putf("nbdboot_%s{device=\"nbd%d\",op=\"%s\"} ",
			 metrics[m].name, r->index, kinds[i]);
		if (m == SECONDS)
			put_fraction(c->ms, 3);
		else
			cli_putf("%llu",
				 (unsigned long long)(m == BYTES
							      ? c->sectors * 512
							      : c->n));
		cli_putf("\n");
	}
}

static void put(const struct row *r, enum metric m)
{
	bool about_links = m >= LIVE && m <= SLOTS;

	if (m >= REQUESTS) {
		put_kinds(r, m);
		return;
	}
	if (((about_links || m >= RTT) && !(r->known && r->s.counted)) ||
	    (m == RTT && !r->s.rtt))
		return;
	cli_putf("nbdboot_%s{device=\"nbd%d\"} ", metrics[m].name, r->index);
	if (m == RTT)
		put_fraction(r->s.rtt, 6);
	else
		cli_putf("%llu", (unsigned long long)value(r, m));
	cli_putf("\n");
}

unsigned cli_metrics(char *names[])
{
	struct metrics m = { .n = 0 };
	struct nbdk_iter it = { 0 };
	int index;

	for (char **name = names; *name; name++)
		take(&m, nbdk_parse_name(*name));
	while (!names[0] && (index = nbdk_next(&it)) >= 0)
		take(&m, index);
	for (unsigned i = 0; i < METRICS; i++) {
		bool counter = i >= RETRANSMITS;

		cli_putf("# HELP nbdboot_%s %s\n# TYPE nbdboot_%s %s\n",
			 metrics[i].name, metrics[i].help, metrics[i].name,
			 counter ? "counter" : "gauge");
		for (unsigned k = 0; k < m.n; k++)
			put(&m.row[k], i);
	}
	return m.left_out;
}
