/* SPDX-License-Identifier: BSD-2-Clause */
/* More devices than latency, top and list --metrics read at once. */
#include "boot/cli/cli.h"
#include "boot/cli/loads.h"
#include "boot/cli/metrics.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/nbdk.h"

#include <time.h>

static char *all[] = { NULL };

int __wrap_device_read(struct device *dev, int index, struct nbd_diag *d);
int __wrap_device_read(struct device *dev, int index, struct nbd_diag *d)
{
	(void)d;
	memset(dev, 0, sizeof(*dev));
	dev->info.index = index;
	return 0;
}

void __wrap_device_sample(struct device_sample *s, const struct device *dev);
void __wrap_device_sample(struct device_sample *s, const struct device *dev)
{
	(void)dev;
	memset(s, 0, sizeof(*s));
	s->ns = 1;
}

static void show(void *ctx, const struct device *dev,
		 const struct device_latency *l)
{
	unsigned *shown = ctx;

	(void)dev;
	(void)l;
	++*shown;
}

/* Samples of a metric, all of which stand right behind its head. */
static unsigned samples(const char *text, const char *metric)
{
	char head[64], line[64];
	unsigned n = 0;

	nbd_fmt(head, sizeof(head), "# TYPE nbdboot_%s ", metric);
	nbd_fmt(line, sizeof(line), "nbdboot_%s{", metric);
	text = strstr(text, head);
	assert_non_null(text);
	assert_null(strstr(text + 1, head));
	while ((text = strchr(text, '\n')) &&
	       !strncmp(++text, line, strlen(line)))
		n++;
	if (text)
		assert_null(strstr(text, line));
	return n;
}

static void those_that_are_left_out_are_counted(void **state)
{
	static struct cli_loads loads;
	struct nbd_diag d = { 0 };
	unsigned shown = 0;

	(void)state;
	world.devices = CLI_LOADS + 2;
	assert_int_equal(cli_loads(&loads, all, show, &shown, &d), 0);
	assert_int_equal(loads.left_out, 2);
	/* and each time anew */
	assert_int_equal(cli_loads(&loads, all, show, &shown, &d), 0);
	assert_int_equal(loads.left_out, 2);
	assert_int_equal(shown, CLI_LOADS);
	assert_int_equal(cli_left_out(loads.left_out, &d), NBD_E_NO_MEMORY);
	assert_non_null(strstr(d.text, "2 devices are left out"));
	world.devices = 1;
	assert_int_equal(cli_loads(&loads, all, show, &shown, &d), 0);
	assert_int_equal(cli_left_out(loads.left_out, &d), 0);
}

static void metrics_have_every_device_once(void **state)
{
	static const int many[] = { 1,
				    65,
				    CLI_METRICS - 1,
				    CLI_METRICS,
				    CLI_METRICS + 1,
				    3 * CLI_METRICS + 7 };
	static char page[4 << 20];
	char last[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		world.devices = many[i];
		cli_out = (struct nbd_out){ .buf = page,
					    .cap = sizeof(page) - 1 };
		cli_metrics(all);
		page[cli_out.len] = '\0';
		assert_int_equal(samples(page, "size_bytes"), world.devices);
		assert_int_equal(samples(page, "in_flight"), world.devices);
		assert_int_equal(samples(page, "requests_total"),
				 world.devices * NBDK_KINDS);
		assert_int_equal(samples(page, "request_seconds_total"),
				 world.devices * NBDK_KINDS);
		nbd_fmt(last, sizeof(last),
			"nbdboot_size_bytes{device=\"nbd%d\"} ",
			world.devices - 1);
		assert_non_null(strstr(page, last));
	}
}

static void and_so_have_those_of_named_devices(void **state)
{
	static char page[1 << 20], names[CLI_METRICS + 2][8];
	char *words[CLI_METRICS + 3] = { NULL };

	(void)state;
	for (int i = 0; i < CLI_METRICS + 2; i++) {
		nbd_fmt(names[i], sizeof(names[i]), "nbd%d", i);
		words[i] = names[i];
	}
	cli_out = (struct nbd_out){ .buf = page, .cap = sizeof(page) - 1 };
	cli_metrics(words);
	page[cli_out.len] = '\0';
	assert_int_equal(samples(page, "read_only"), CLI_METRICS + 2);
	words[2] = NULL;
	cli_out.len = 0;
	cli_metrics(words);
	page[cli_out.len] = '\0';
	assert_int_equal(samples(page, "read_only"), 2);
}

/* ---- the time of reports ---- */

extern const struct command cmd_latency;
static unsigned waits;

/* In the first one the machine sleeps for an hour. */
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)left;
	world.now +=
		(uint64_t)t->tv_sec * 1000 + (uint64_t)t->tv_nsec / 1000000;
	world.now += waits++ ? 0 : 3600000;
	return 0;
}

static void a_suspend_brings_no_more_reports(void **state)
{
	static char page[4096];
	unsigned options[] = { 2, 5, 0 }; /* seconds, count, no JSON */
	struct cli_call call = { .words = all, .options = options };

	(void)state;
	world.devices = 0;
	world.now = 1000;
	cli_out = (struct nbd_out){ .buf = page,
				    .cap = sizeof(page),
				    .flush = cli_out.flush,
				    .fd = 1 };
	assert_int_equal(cmd_latency.run(&call), CLI_OK);
	assert_int_equal(waits, 5);
	assert_int_equal(world.now, 1000 + 3600000 + 5 * 2000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_are_left_out_are_counted),
		cmocka_unit_test(metrics_have_every_device_once),
		cmocka_unit_test(and_so_have_those_of_named_devices),
		cmocka_unit_test(a_suspend_brings_no_more_reports),
	};

	return cmocka_run_group_tests_name("many devices", tests, NULL, NULL);
}
