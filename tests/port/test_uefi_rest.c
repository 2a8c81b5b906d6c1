/* SPDX-License-Identifier: BSD-2-Clause */
/* When a processor rests, with firmware that counts, at a time that is set. */
#include "tests/unit.h"

#include "port/uefi/rest.c"
#include "tests/world/clock.h"

static struct firmware {
	int events;
	unsigned timers, waits;
	bool poor; /* it has no events */
} fw;
static struct efi_boot boot;
struct efi_world efi = { .bs = &boot };

static efi_status create_event(uint32_t type, uint64_t tpl, efi_notify *fn,
			       void *ctx, efi_event *e)
{
	(void)tpl, (void)ctx;
	assert_int_equal(type, EFI_EVENT_TIMER);
	assert_null(fn);
	*e = &fw; /* an invalid one, if it fails */
	if (fw.poor)
		return EFI_OUT_OF_RESOURCES;
	fw.events++;
	return 0;
}

static efi_status set_timer(efi_event e, unsigned type, uint64_t in_100ns)
{
	assert_ptr_equal(e, &fw);
	assert_int_equal(type, EFI_TIMER_RELATIVE);
	assert_int_equal(in_100ns, 100000);
	fw.timers++;
	return 0;
}

static efi_status wait_for_event(size_t n, efi_event *e, size_t *which)
{
	assert_int_equal(n, 1);
	assert_ptr_equal(*e, &fw);
	*which = 0;
	fw.waits++;
	return 0;
}

static efi_status close_event(efi_event e)
{
	assert_ptr_equal(e, &fw);
	fw.events--;
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	fw = (struct firmware){ 0 };
	world.now = 5000;
	boot = (struct efi_boot){ .create_event = create_event,
				  .set_timer = set_timer,
				  .wait_for_event = wait_for_event,
				  .close_event = close_event };
	return 0;
}

/* Asks each ms for that long. */
static void ask(struct efi_rest *r, unsigned ms)
{
	while (ms--) {
		efi_rest(r);
		world.now++;
	}
}

static void it_rests_when_nothing_came_for_a_while(void **state)
{
	struct efi_rest r = { 0 };

	(void)state;
	ask(&r, 100);
	assert_int_equal(fw.waits, 0);
	ask(&r, 2);
	assert_int_equal(fw.waits, 2);
	assert_int_equal(fw.timers, 2);
	assert_int_equal(fw.events, 1);
	efi_rest_end(&r);
	assert_int_equal(fw.events, 0);
	efi_rest_end(&r);
	assert_int_equal(fw.events, 0);
}

static void it_does_not_while_something_comes(void **state)
{
	struct efi_rest r = { 0 };

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		ask(&r, 99);
		efi_rest_over(&r);
	}
	assert_int_equal(fw.events + (int)fw.waits, 0);
	ask(&r, 100);
	assert_int_equal(fw.waits, 0);
	efi_rest_end(&r);
}

static void firmware_without_events_is_asked_at_once(void **state)
{
	struct efi_rest r = { 0 };

	(void)state;
	fw.poor = true;
	ask(&r, 200);
	assert_int_equal(fw.timers + fw.waits, 0);
	efi_rest_end(&r);
	assert_int_equal(fw.events, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_rests_when_nothing_came_for_a_while,
				       set_up),
		cmocka_unit_test_setup(it_does_not_while_something_comes,
				       set_up),
		cmocka_unit_test_setup(firmware_without_events_is_asked_at_once,
				       set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
