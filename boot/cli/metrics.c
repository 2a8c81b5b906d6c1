/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices in the text format of Prometheus, for the textfile collector of
 * node_exporter.  All samples of a metric have to stand together, so devices
 * that do not fit the table are read again for each metric:
 *
 *	fill the table --> metric 1, metric 2 ...
 *	      '--full----> metric 1 --more?--> fill --> metric 1 ... metric 2 ...
 */
#include "boot/cli/metrics.h"

#include <string.h>

#include "boot/prefetch/seen.h"

struct row {
	int index;
	bool known, read_only;
	unsigned wanted, slots;
	uint64_t size;
	struct device_sample s;
};

struct metrics {
	struct device dev;
	struct cli_devices devices;
	unsigned n;
	struct row row[CLI_METRICS];
};

/* Earlier than there; a sample may only come once. */
static bool was_named(const struct cli_devices *c)
{
	unsigned i = 0;

	while (i < c->n &&
	       nbdk_parse_name(c->names[i]) != nbdk_parse_name(c->names[c->n]))
		i++;
	return i < c->n;
}

int cli_next_device(struct cli_devices *c)
{
	if (!c->names[0])
		return nbdk_next(&c->it);
	while (c->names[c->n] && was_named(c))
		c->n++;
	return c->names[c->n] ? nbdk_parse_name(c->names[c->n++])
			      : NBD_E_NO_DEVICE;
}

static void take(struct metrics *m, int index)
{
	struct device *dev = &m->dev;
	int err = device_read(dev, index, NULL);
	struct row *r = &m->row[m->n];

	if (err == NBD_E_NO_DEVICE)
		return;
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

static void rewind_devices(struct metrics *m)
{
	m->devices = (struct cli_devices){ .names = m->devices.names };
}

/* Reads devices until the table is full (true: there may be more). */
static bool fill(struct metrics *m)
{
	int index;

	for (m->n = 0; m->n < CLI_METRICS;) {
		index = cli_next_device(&m->devices);
		if (index < 0)
			return false;
		take(m, index);
	}
	return true;
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

static void put_head(enum metric m)
{
	cli_putf("# HELP nbdboot_%s %s\n# TYPE nbdboot_%s %s\n",
		 metrics[m].name, metrics[m].help, metrics[m].name,
		 m >= RETRANSMITS ? "counter" : "gauge");
}

static void put_all(const struct metrics *m, enum metric metric)
{
	for (unsigned i = 0; i < m->n; i++)
		put(&m->row[i], metric);
}

/* What the fetch of this boot was good for. */
static void put_prefetch(void)
{
	static const char *const help[PREFETCH_NUMBERS] = {
		[PREFETCH_READS] = "Reads of the root during the boot.",
		[PREFETCH_RAM_READS] = "Of them from RAM.",
		[PREFETCH_KIB] = "Data of these reads.",
		[PREFETCH_RAM_KIB] = "Of it from RAM.",
		[PREFETCH_FETCHED_KIB] = "RAM of what was fetched.",
		[PREFETCH_VAIN_KIB] = "Of it what was not read.",
		[PREFETCH_CACHE_KIB] = "Of it from the local cache.",
		[PREFETCH_WAITED_MS] = "Time of these reads.",
		[PREFETCH_NEAR_US] = "Time of a read, if nothing was fetched.",
	};
	struct prefetch_seen s;

	if (!prefetch_seen_read(&s))
		return;
	for (unsigned i = PREFETCH_DEVICE + 1; i < PREFETCH_NUMBERS; i++)
		cli_putf("# HELP nbdboot_prefetch_%s %s\n"
			 "# TYPE nbdboot_prefetch_%s gauge\n"
			 "nbdboot_prefetch_%s{device=\"nbd%llu\"} %llu\n",
			 prefetch_seen_name(i), help[i], prefetch_seen_name(i),
			 prefetch_seen_name(i),
			 (unsigned long long)s.n[PREFETCH_DEVICE],
			 (unsigned long long)s.n[i]);
}

void cli_metrics(char *names[])
{
	struct metrics m = { .devices = { .names = names } };
	bool more = fill(&m), several = more;

	for (unsigned i = 0; i < METRICS; i++) {
		if (several && i) {
			rewind_devices(&m);
			more = fill(&m);
		}
		put_head(i);
		put_all(&m, i);
		while (more) {
			more = fill(&m);
			put_all(&m, i);
		}
	}
	if (!names[0])
		put_prefetch();
}
