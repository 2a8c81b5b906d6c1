/* SPDX-License-Identifier: BSD-2-Clause */
/* More devices than latency, top and list --metrics have room for. */
#include "boot/cli/cli.h"
#include "boot/cli/loads.h"
#include "boot/cli/metrics.h"
#include "tests/unit.h"

static int connected; /* nbd0 and so on */
static char *all[] = { NULL };

int __wrap_nbdk_next(struct nbdk_iter *it);
int __wrap_nbdk_next(struct nbdk_iter *it)
{
	return it->next < connected ? it->next++ : -1;
}

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

/* In metrics of one kind, which all devices have. */
static unsigned devices_in(const char *text)
{
	static const char size[] = "nbdboot_size_bytes{";
	unsigned n = 0;

	while ((text = strstr(text, size))) {
		text++;
		n++;
	}
	return n;
}

static void those_that_are_left_out_are_counted(void **state)
{
	static struct cli_loads loads;
	struct nbd_diag d = { 0 };
	unsigned shown = 0;

	(void)state;
	connected = CLI_LOADS + 2;
	assert_int_equal(cli_loads(&loads, all, show, &shown, &d), 0);
	assert_int_equal(loads.left_out, 2);
	/* and each time anew */
	assert_int_equal(cli_loads(&loads, all, show, &shown, &d), 0);
	assert_int_equal(loads.left_out, 2);
	assert_int_equal(shown, CLI_LOADS);
	assert_int_equal(cli_left_out(loads.left_out, &d), NBD_E_NO_MEMORY);
	assert_non_null(strstr(d.text, "2 devices are left out"));
	connected = 1;
	assert_int_equal(cli_loads(&loads, all, show, &shown, &d), 0);
	assert_int_equal(cli_left_out(loads.left_out, &d), 0);
}

static void so_are_those_without_metrics(void **state)
{
	static char page[1 << 20];

	(void)state;
	cli_out.buf = page;
	cli_out.cap = sizeof(page) - 1;
	connected = CLI_METRICS + 3;
	assert_int_equal(cli_metrics(all), 3);
	assert_int_equal(devices_in(page), CLI_METRICS);
	connected = 65;
	assert_int_equal(cli_metrics(all), 0);
	assert_int_equal(devices_in(page), CLI_METRICS + 65);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_are_left_out_are_counted),
		cmocka_unit_test(so_are_those_without_metrics),
	};

	return cmocka_run_group_tests_name("many devices", tests, NULL, NULL);
}
