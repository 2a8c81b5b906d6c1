/* SPDX-License-Identifier: BSD-2-Clause */
/* Reviving before there is a watcher: a device whose connections are played. */
#include "boot/device/device.h"
#include "boot/device/settle.h"

#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/lock.h"

#define INDEX 4

static struct play {
	unsigned live, wanted;
	bool other;	/* another program connected the device */
	bool uncounted; /* the kernel cannot count connections */
	unsigned away;	/* rounds until the server is back */
	unsigned rounds, end;
	bool once;     /* it only finds them */
	unsigned dies; /* round in which a connection dies, 0: none */
	unsigned filled, added;
} play;

static jmp_buf out;

static void paused(int ms)
{
	(void)ms;
	/* nothing is held while it waits */
	assert_int_equal(world.locked, 0);
	play.live -= play.rounds + 1 == play.dies;
	if (++play.rounds == play.end)
		longjmp(out, 1);
}

int __wrap_device_read(struct device *dev, int index, struct nbd_diag *d);
int __wrap_device_add(struct device *dev, struct nbd_diag *d);
int __wrap_device_fill(struct device *dev, unsigned want, struct nbd_diag *d);

int __wrap_device_read(struct device *dev, int index, struct nbd_diag *d)
{
	(void)d;
	assert_int_equal(index, INDEX);
	dev->known = !play.other;
	dev->wanted = play.wanted;
	dev->live = play.uncounted ? 0 : play.live;
	return play.other ? NBD_E_URI : play.uncounted ? NBD_E_NOT_FOUND : 0;
}

int __wrap_device_add(struct device *dev, struct nbd_diag *d)
{
	(void)dev, (void)d;
	assert_int_equal(world.locked, 1);
	play.added++;
	return 0;
}

int __wrap_device_fill(struct device *dev, unsigned want, struct nbd_diag *d)
{
	(void)dev, (void)d;
	assert_int_equal(world.locked, 1);
	assert_int_equal(want, play.wanted);
	play.filled++;
	if (play.rounds < play.away)
		return NBD_E_REFUSED;
	play.live = want;
	return 0;
}

static void revive(struct play p)
{
	play = p;
	world = (struct world){ .paused = paused, .lock = 77 };
	if (!setjmp(out))
		device_revive(INDEX, play.once);
}

static void dead_connections_are_replaced(void **state)
{
	(void)state;
	revive((struct play){ .live = 1, .wanted = 2, .end = 3 });
	assert_int_equal(play.filled, 1);
	assert_int_equal(play.added, 0);
}

static void live_ones_are_left_alone(void **state)
{
	(void)state;
	revive((struct play){ .live = 2, .wanted = 2, .end = 5 });
	assert_int_equal(play.filled + play.added, 0);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(world.pause[i], 200);
}

static void a_server_that_is_away_is_asked_less_often(void **state)
{
	int base = 200;

	(void)state;
	revive((struct play){ .wanted = 1, .away = 8, .end = 10 });
	assert_int_equal(play.filled, 9);
	for (unsigned i = 0; i < 9; i++) {
		assert_in_range(world.pause[i], base / 2, base + base / 2 + 1);
		base = base < 1000 ? base * 2 : 2000;
	}
	/* it is back */
	assert_int_equal(world.pause[9], 200);
}

static void without_a_count_the_driver_decides(void **state)
{
	(void)state;
	/* it drops what it has no dead slot for */
	revive((struct play){
		.uncounted = true, .live = 1, .wanted = 1, .end = 3 });
	assert_int_equal(play.added, 3);
	assert_int_equal(play.filled, 0);
}

static void a_device_of_another_program_is_not_touched(void **state)
{
	(void)state;
	revive((struct play){ .other = true, .wanted = 1, .end = 3 });
	assert_int_equal(play.added + play.filled, 0);
}

static void it_may_only_find_the_first(void **state)
{
	(void)state;
	revive((struct play){
		.live = 2, .wanted = 2, .end = 9, .dies = 3, .once = true });
	assert_int_equal(play.rounds, 3);
	assert_int_equal(play.filled + play.added + (unsigned)world.locked, 0);
	/* what cannot be counted is not found, but revived */
	revive((struct play){
		.uncounted = true, .wanted = 1, .end = 3, .once = true });
	assert_int_equal(play.rounds, 3);
	assert_int_equal(play.added, 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(dead_connections_are_replaced),
		cmocka_unit_test(live_ones_are_left_alone),
		cmocka_unit_test(a_server_that_is_away_is_asked_less_often),
		cmocka_unit_test(without_a_count_the_driver_decides),
		cmocka_unit_test(a_device_of_another_program_is_not_touched),
		cmocka_unit_test(it_may_only_find_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
