/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot latency: how long requests take, and what is slow, by the counters of
 * the block layer and of TCP.  It needs no tracing, and costs nothing.
 */
#include <time.h>

#include "boot/cli/loads.h"
#include "boot/cli/show.h"

struct latency {
	unsigned seconds, count;
	bool json;
};

static const struct cli_option options[] = {
	{ "interval", 'i', "SECONDS", "how long each report covers",
	  CLI_FIELD(struct latency, seconds), .min = 1, .max = 86400,
	  .preset = 1 },
	{ "count", 'n', "COUNT", "the number of reports; 0: until interrupted",
	  CLI_FIELD(struct latency, count), .max = 1000000, .preset = 1 },
	{ "json", 0, NULL, "print an object on a line for each report",
	  CLI_FIELD(struct latency, json) },
	{ 0 },
};

static const char *const kinds[NBDK_KINDS] = { "read", "write", "discard",
					       "flush" };

static unsigned per_second(uint64_t n, const struct device_latency *l)
{
	return (unsigned)((n * 1000 + l->ms / 2) / l->ms);
}

/* ---- text ---- */

static void print_verdict(const struct device_latency *l)
{
	cli_putf("%s", device_slow_text(l->slow));
	if (!l->n)
		return;
	cli_putf(": ");
	cli_put_ms(l->latency, 0);
	if (l->slow != DEVICE_UNKNOWN) {
		cli_putf(" ms = ");
		cli_put_ms(l->network, 0);
		cli_putf(" network + ");
		cli_put_ms(l->server, 0);
		cli_putf(" server");
	} else {
		cli_putf(" ms");
	}
}

static void print_kind(const struct device_latency *l, unsigned kind)
{
	const struct nbdk_count *c = &l->kind[kind];

	if (!c->n)
		return;
	cli_putf("  %-8s %8u/s %9u KiB/s ", kinds[kind], per_second(c->n, l),
		 per_second(c->sectors / 2, l));
	cli_put_ms(device_mean(c), 9);
	cli_putf(" ms\n");
}

static void print_text(const struct device *dev, const struct device_latency *l)
{
	cli_putf("nbd%d: ", dev->info.index);
	print_verdict(l);
	cli_putf("; %u in flight, %llu retransmitted\n", l->in_flight,
		 (unsigned long long)l->retries);
	for (unsigned i = 0; i < NBDK_KINDS; i++)
		print_kind(l, i);
	for (unsigned i = 0; i < dev->n_links; i++)
		cli_put_link(&dev->links[i]);
}

/* ---- JSON ---- */

static void print_json(const struct device *dev, const struct device_latency *l)
{
	cli_putf("{\"name\": \"nbd%d\", \"interval_ms\": %llu, "
		 "\"slow\": \"%s\", \"in_flight\": %u, \"retransmits\": %llu",
		 dev->info.index, (unsigned long long)l->ms,
		 device_slow_text(l->slow), l->in_flight,
		 (unsigned long long)l->retries);
	if (l->n)
		cli_putf(", \"latency_us\": %u", l->latency);
	if (l->n && l->slow != DEVICE_UNKNOWN)
		cli_putf(", \"network_us\": %u, \"server_us\": %u", l->network,
			 l->server);
	for (unsigned i = 0; i < NBDK_KINDS; i++) {
		const struct nbdk_count *c = &l->kind[i];

		cli_putf(", \"%s\": {\"count\": %llu, \"bytes\": %llu, "
			 "\"latency_us\": %u}",
			 kinds[i], (unsigned long long)c->n,
			 (unsigned long long)c->sectors * 512, device_mean(c));
	}
	if (dev->counted)
		cli_put_json_links(dev);
	cli_putf("}");
}

/* ---- the command ---- */

struct output {
	bool json;
	unsigned n; /* devices in this report */
};

static void print(void *ctx, const struct device *dev,
		  const struct device_latency *l)
{
	struct output *o = ctx;

	if (!o->json) {
		print_text(dev, l);
	} else {
		cli_putf(o->n ? ", " : "");
		print_json(dev, l);
	}
	o->n++;
}

static void wait_until(uint64_t ms)
{
	uint64_t now;

	while ((now = nbd_now_ms()) < ms) {
		const struct timespec t = {
			.tv_sec = (time_t)((ms - now) / 1000),
			.tv_nsec = (long)((ms - now) % 1000 * 1000000),
		};

		nanosleep(&t, NULL);
	}
}

static int report(struct cli_loads *loads, const struct cli_call *call,
		  struct nbd_diag *d)
{
	const struct latency *o = call->options;
	struct output out = { .json = o->json };
	int err;

	if (o->json)
		cli_putf("{\"devices\": [");
	err = cli_loads(loads, call->words, print, &out, d);
	if (o->json)
		cli_putf("]}\n");
	else if (!out.n)
		cli_putf("no device is connected\n");
	if (!err)
		err = cli_flush();
	return err ? err : cli_left_out(loads->left_out, d);
}

static int run(struct cli_call *call)
{
	const struct latency *o = call->options;
	struct cli_loads loads = { .n = 0 };
	uint64_t each = o->seconds * 1000, next = nbd_now_ms(), now;
	int err = cli_loads(&loads, call->words, print, NULL, &call->d);

	for (unsigned i = 0; !err && (!o->count || i < o->count); i++) {
		/* one report is enough of a time in which it was stopped */
		now = nbd_now_ms();
		if (now - next > each)
			next = now;
		next += each;
		wait_until(next);
		err = report(&loads, call, &call->d);
	}
	return err;
}

const struct command cmd_latency = {
	.name = "latency",
	.group = CLI_TRACE,
	.summary = "show how long requests take, and what is slow",
	.operands = { 0, CLI_ANY, { "nbdN" } },
	.devices = true,
	.options = options,
	.run = run,
};
