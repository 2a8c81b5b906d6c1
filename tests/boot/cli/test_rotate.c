/* SPDX-License-Identifier: BSD-2-Clause */
/* rotate on a kernel that is busy: the device is played, and so is the time. */
#include "boot/cli/cli.h"
#include "boot/device/device.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/lock.h"

extern const struct command cmd_rotate;

static struct played {
	unsigned live;	   /* links: 1 to live */
	unsigned busy;	   /* replacements that fail, */
	bool ended;	   /* after the old one was ended */
	unsigned filled;   /* calls of device_fill() */
	unsigned replaced; /* a bit for each link that was given */
	unsigned reports;
	int count_err;
} played;

int __wrap_device_read(struct device *dev, int index, struct nbd_diag *d);
int __wrap_device_read(struct device *dev, int index, struct nbd_diag *d)
{
	(void)d;
	dev->info.index = index;
	return 0;
}

int __wrap_device_count(struct device *dev, struct nbd_diag *d);
int __wrap_device_count(struct device *dev, struct nbd_diag *d)
{
	assert_int_equal(world.locked, 1);
	dev->live = played.live;
	dev->n_links = 0;
	for (unsigned i = 0; i < 2; i++) {
		struct sockdiag_link *l = &dev->links[dev->n_links];

		if (i < 2 - played.live)
			continue;
		memset(l, 0, sizeof(*l));
		l->live = true;
		l->id[0] = (unsigned char)(1 + i);
		dev->n_links++;
	}
	return played.count_err ? nbd_diag(d, played.count_err, "no lists") : 0;
}

int __wrap_device_replace(struct device *dev, const struct sockdiag_link *l,
			  struct nbd_diag *d);
int __wrap_device_replace(struct device *dev, const struct sockdiag_link *l,
			  struct nbd_diag *d)
{
	(void)dev;
	assert_int_equal(world.locked, 1);
	if (played.busy) {
		played.busy--;
		played.live -= played.ended;
		return nbd_diag(d, NBD_E_AGAIN, "busy");
	}
	played.replaced |= 1u << l->id[0];
	return 0;
}

int __wrap_device_fill(struct device *dev, unsigned want, struct nbd_diag *d);
int __wrap_device_fill(struct device *dev, unsigned want, struct nbd_diag *d)
{
	(void)dev;
	assert_int_equal(world.locked, 1);
	/* as many as there were */
	assert_int_equal(want, 2);
	if (played.busy) {
		played.busy--;
		return nbd_diag(d, NBD_E_AGAIN, "busy");
	}
	played.filled++;
	played.live = want;
	return 0;
}

/* Others may change the device meanwhile. */
static void paused(int ms)
{
	(void)ms;
	assert_int_equal(world.locked, 0);
}

int __wrap_cli_fail(const char *subject, int err, const struct nbd_diag *d);
int __wrap_cli_fail(const char *subject, int err, const struct nbd_diag *d)
{
	assert_string_equal(subject, "nbd3");
	assert_int_equal(err, NBD_E_AGAIN);
	assert_string_equal(d->text, "busy");
	played.reports++;
	return 1;
}

static int rotate(void)
{
	char name[] = "nbd3", *words[] = { name, NULL };
	struct cli_call call = { .words = words, .subject = "nbd3" };
	int err = cmd_rotate.run(&call);

	assert_int_equal(world.locked, 0);
	return err;
}

static void each_connection_is_replaced(void **state)
{
	(void)state;
	world = (struct world){ .paused = paused, .lock = 7 };
	played = (struct played){ .live = 2 };
	assert_int_equal(rotate(), 0);
	assert_int_equal(played.replaced, 1u << 1 | 1u << 2);
	assert_int_equal(played.reports, 0);
}

static void a_busy_kernel_is_reported_once_and_awaited(void **state)
{
	(void)state;
	world = (struct world){ .paused = paused, .lock = 7 };
	played = (struct played){ .live = 2, .busy = 3 };
	assert_int_equal(rotate(), 0);
	assert_int_equal(played.replaced, 1u << 1 | 1u << 2);
	assert_int_equal(played.filled, 0);
	assert_int_equal(played.reports, 1);
	assert_int_equal(world.pauses, 3);
}

static void what_was_ended_is_made_again(void **state)
{
	(void)state;
	world = (struct world){ .paused = paused, .lock = 7 };
	played = (struct played){ .live = 2, .busy = 2, .ended = true };
	assert_int_equal(rotate(), 0);
	assert_int_equal(played.filled, 1);
	assert_int_equal(played.replaced, 1u << 2);
	assert_int_equal(played.live, 2);
	assert_int_equal(played.reports, 1);
}

static void an_error_meanwhile_ends_it(void **state)
{
	(void)state;
	world = (struct world){ .paused = paused, .lock = 7 };
	played = (struct played){ .live = 2, .count_err = NBD_E_KERNEL };
	assert_int_equal(rotate(), NBD_E_KERNEL);
	assert_int_equal(played.replaced, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_connection_is_replaced),
		cmocka_unit_test(a_busy_kernel_is_reported_once_and_awaited),
		cmocka_unit_test(what_was_ended_is_made_again),
		cmocka_unit_test(an_error_meanwhile_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
