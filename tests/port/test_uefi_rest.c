/* SPDX-License-Identifier: BSD-2-Clause */
/* When a processor rests, at a time that is set. */
#include "tests/unit.h"

#include "port/uefi/rest.c"
#include "tests/world/clock.h"

static struct firmware {
	efi_notify *notify;
	void *ctx;
	uint64_t due; /* ms, 0: no timer is set */
	int events;   /* that are not closed */
	unsigned timers, halts;
	bool interrupted; /* its timer has an interrupt */
	bool poor;	  /* it has no events */
} fw;

void efi_halt(void)
{
	fw.halts++;
}

static efi_status create_event(uint32_t type, uint64_t tpl, efi_notify *fn,
			       void *ctx, efi_event *e)
{
	assert_int_equal(type, EFI_EVENT_TIMER | EFI_EVENT_SIGNAL);
	/* above what reads */
	assert_int_equal(tpl, EFI_TPL_NOTIFY);
	fw.notify = fn;
	fw.ctx = ctx;
	*e = &fw; /* an invalid one, if it fails */
	if (fw.poor)
		return EFI_OUT_OF_RESOURCES;
	fw.events++;
	return 0;
}

static void come(void)
{
	uint64_t due = fw.due;

	fw.due = 0;
	if (due)
		fw.notify(&fw, fw.ctx);
}

static efi_status set_timer(efi_event e, unsigned type, uint64_t in_100ns)
{
	assert_ptr_equal(e, &fw);
	assert_int_equal(type, EFI_TIMER_RELATIVE);
	fw.due = world.now + in_100ns / 10000;
	fw.timers++;
	return 0;
}

/* Firmware without an interrupt looks at its timers when it is called. */
static efi_status close_event(efi_event e)
{
	assert_ptr_equal(e, &fw);
	come();
	fw.events--;
	return 0;
}

static void look(void)
{
	world.now += fw.due != 0;
	if (fw.interrupted && world.now >= fw.due)
		come();
}

static struct efi_boot boot = { .create_event = create_event,
				.set_timer = set_timer,
				.close_event = close_event };
struct efi_world efi = { .bs = &boot };

static int set_up(void **state)
{
	(void)state;
	fw = (struct firmware){ .interrupted = true };
	efi.ends = false;
	world.now = 5000;
	world.look = look;
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
	assert_int_equal(fw.halts + fw.timers, 0);
	ask(&r, 2);
	assert_int_equal(fw.halts, 2);
	assert_int_equal(fw.timers, 1);
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
	ask(&r, 100);
	assert_int_equal(fw.halts, 0);
}

/* It would never wake up. */
static void it_does_not_where_no_interrupt_comes(void **state)
{
	struct efi_rest r = { 0 };
	uint64_t began = world.now;

	(void)state;
	fw.interrupted = false;
	ask(&r, 1000);
	assert_int_equal(fw.halts, 0);
	assert_int_equal(fw.timers, 1);
	assert_int_equal(fw.events, 0);
	/* the try took no longer */
	assert_in_range(world.now - began, 1000, 1200);
}

static void nor_without_events_or_at_the_end(void **state)
{
	struct efi_rest poor = { 0 }, r = { 0 };

	(void)state;
	fw.poor = true;
	ask(&poor, 200);
	assert_int_equal(fw.timers, 0);
	fw.poor = false;
	ask(&r, 101);
	assert_int_equal(fw.halts, 1);
	efi.ends = true;
	ask(&r, 100);
	assert_int_equal(fw.halts, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_rests_when_nothing_came_for_a_while,
				       set_up),
		cmocka_unit_test_setup(it_does_not_while_something_comes,
				       set_up),
		cmocka_unit_test_setup(it_does_not_where_no_interrupt_comes,
				       set_up),
		cmocka_unit_test_setup(nor_without_events_or_at_the_end,
				       set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
