/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that swaps the table below the root is killed at each step of it:
 * no request stays held.  Processes are real, the mapping is played.  And what is
 * left out if the server is near.
 */
#include "boot/init/prefetch.h"
#include "boot/init/steps.h"
#include "tests/unit.h"
#include "tests/world/say.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

extern const struct step init_fetcher_later_step, init_fetcher_map_step,
	init_fetcher_learn_step, init_fetcher_learning_step,
	init_fetcher_mounted_step;

/* Shared with the children. */
static struct shared {
	bool held;	   /* requests of the root */
	bool waits;	   /* a table does */
	unsigned resets;   /* tries to map it one to one */
	unsigned failures; /* of them: so many fail first */
	unsigned maps, fetches;
	bool told; /* that the table may be swapped */
} * w;

/* Is the server near?  And the operands of the process that learns. */
static bool near;
static char learns[64];
/* Has it started when it was waited for? */
static bool starts = true;
static unsigned waits;

/* Steps at which the child is killed: before each, and after the last. */
enum step_at { BEFORE, LOADED, HELD, COUNTED, RESUMED, NEVER };

static enum step_at at;
static struct nbd_diag d;

static void reach(enum step_at step)
{
	if (at == step)
		kill(getpid(), SIGKILL);
}

bool __wrap_init_prefetch_fetch(const struct prefetch_root *r, const char *word,
				bool mounted, int go);
bool __wrap_init_prefetch_fetch(const struct prefetch_root *r, const char *word,
				bool mounted, int go)
{
	char byte;

	(void)r, (void)word, (void)mounted;
	w->fetches++;
	reach(BEFORE);
	w->told = read(go, &byte, 1) == 1;
	if (!w->told)
		return true;
	w->waits = true;
	reach(LOADED);
	w->held = true;
	reach(HELD);
	reach(COUNTED);
	w->waits = w->held = false;
	reach(RESUMED);
	return true;
}

int __wrap_mapper_reset(int index, const char *path, struct nbd_diag *dg);
int __wrap_mapper_reset(int index, const char *path, struct nbd_diag *dg)
{
	(void)index, (void)path;
	if (w->resets++ < w->failures)
		return nbd_diag(dg, NBD_E_NO_MEMORY, "no memory");
	w->waits = w->held = false;
	return NBD_OK;
}

bool __wrap_init_prefetch_is_read_only(const char *disk);
bool __wrap_init_prefetch_is_read_only(const char *disk)
{
	(void)disk;
	return true;
}

bool __wrap_init_prefetch_is_needless(const char *word, uint32_t us);
bool __wrap_init_prefetch_is_needless(const char *word, uint32_t us)
{
	(void)word, (void)us;
	return near;
}

bool __wrap_init_prefetch_map(const struct prefetch_root *r, char dev[64]);
bool __wrap_init_prefetch_map(const struct prefetch_root *r, char dev[64])
{
	(void)r;
	w->maps++;
	strcpy(dev, "/dev/dm-0");
	return true;
}

void __wrap_init_spawn_start(struct spawned *s, char *command, char *option,
			     int index, const struct spawner *by);
void __wrap_init_spawn_start(struct spawned *s, char *command, char *option,
			     int index, const struct spawner *by)
{
	s->ready = 1;
	snprintf(learns, sizeof(learns), "%s %s %d %s", command, option, index,
		 by->word ? by->word : "-");
}

bool __wrap_init_spawn_ready(struct spawned *s);
bool __wrap_init_spawn_ready(struct spawned *s)
{
	waits++;
	s->ready = 0;
	if (!starts)
		s->pid = 0;
	return starts;
}

/* A boot whose process that frees the RAM is there. */
static void fetch(bool is_learning)
{
	/* pages: too large for a stack */
	static struct boot b;
	static const struct plan plan = { .newroot = "/newroot" };
	pid_t learn;

	memset(&b, 0, sizeof(b));
	b.plan = &plan;
	strcpy(b.fetcher.below, "/dev/nbd0");
	b.fetcher.wanted = true;
	b.fetcher.learn.ready = 1;
	b.fetcher.learn.pid = is_learning ? fork() : 0;
	if (is_learning && !b.fetcher.learn.pid)
		for (;;)
			pause();
	learn = b.fetcher.learn.pid;
	assert_int_equal(init_fetcher_mounted_step.run(&b, &d), 0);
	if (is_learning) {
		kill(learn, SIGKILL);
		process_await(learn, 60000);
	}
}

static void nothing_stays_held_wherever_it_is_killed(void **state)
{
	(void)state;
	for (at = BEFORE; at <= NEVER; at++) {
		*w = (struct shared){ 0 };
		fetch(true);
		assert_false(w->held);
		assert_int_equal(w->resets, at == NEVER ? 0 : 1);
	}
}

static void it_is_tried_again_when_it_cannot_be_mended(void **state)
{
	(void)state;
	*w = (struct shared){ .failures = 2 };
	at = HELD;
	fetch(true);
	assert_false(w->held);
	assert_int_equal(w->resets, 3);
}

static void nothing_is_fetched_if_nobody_would_free_it(void **state)
{
	(void)state;
	*w = (struct shared){ 0 };
	at = BEFORE;
	fetch(false);
	assert_int_equal(w->resets, 0);
}

static void the_table_waits_for_the_process_that_will_free_it(void **state)
{
	(void)state;
	at = NEVER;
	*w = (struct shared){ 0 };
	waits = 0;
	fetch(true);
	assert_true(w->told);
	assert_int_equal(waits, 1);
	*w = (struct shared){ 0 };
	starts = false;
	fetch(true);
	starts = true;
	assert_int_equal(w->fetches, 1);
	assert_false(w->told);
	assert_false(w->waits);
}

/* The steps of a boot with nbdboot.prefetch. */
static void boot(const char *cache)
{
	/* pages: too large for a stack */
	static struct boot b;
	static const struct plan plan = { .newroot = "/newroot" };

	memset(&b, 0, sizeof(b));
	b.plan = &plan;
	b.cmd.prefetch = "";
	b.cmd.cache = cache;
	strcpy(b.dev, "/dev/nbd0p2");
	*w = (struct shared){ 0 };
	learns[0] = '\0';
	at = NEVER;
	assert_int_equal(init_fetcher_later_step.run(&b, &d), 0);
	assert_int_equal(init_fetcher_map_step.run(&b, &d), 0);
	assert_string_equal(b.dev, w->maps ? "/dev/dm-0" : "/dev/nbd0p2");
	waits = 0;
	assert_int_equal(init_fetcher_learn_step.run(&b, &d), 0);
	/* what changes the table finds it there */
	assert_int_equal(waits, cache ? 1 : 0);
	assert_int_equal(init_fetcher_learning_step.run(&b, &d), 0);
	assert_int_equal(waits, 1);
	b.fetcher.learn.pid = fork();
	if (!b.fetcher.learn.pid)
		for (;;)
			pause();
	assert_int_equal(init_fetcher_mounted_step.run(&b, &d), 0);
	kill(b.fetcher.learn.pid, SIGKILL);
	process_await(b.fetcher.learn.pid, 60000);
}

static void nothing_is_mapped_or_fetched_if_the_server_is_near(void **state)
{
	(void)state;
	near = false;
	boot(NULL);
	assert_int_equal(w->maps, 1);
	assert_int_equal(w->fetches, 1);
	assert_string_equal(learns, "prefetch learn 0 -");
	near = true;
	boot(NULL);
	assert_int_equal(w->maps, 0);
	assert_int_equal(w->fetches, 0);
	assert_string_equal(learns, "prefetch learn 0 /dev/nbd0p2");
	/* which needs the mapping */
	boot("/dev/sda");
	assert_int_equal(w->maps, 1);
	assert_int_equal(w->fetches, 0);
	assert_string_equal(learns, "prefetch learn 0 -");
}

static void the_driver_is_named_that_may_be_needed(void **state)
{
	static const struct {
		const char *prefetch, *clone, *cache;
		bool named;
	} cases[] = {
		{ NULL, NULL, NULL, false },
		{ "0", NULL, NULL, false },
		{ "sometimes", NULL, NULL, false },
		{ "", NULL, NULL, true },
		{ "auto", NULL, NULL, true },
		{ "0", "/dev/sda", NULL, true },
		{ NULL, NULL, "/dev/sda", true },
	};
	/* pages: too large for a stack */
	static struct boot b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		b.cmd.prefetch = cases[i].prefetch;
		b.cmd.clone = cases[i].clone;
		b.cmd.cache = cases[i].cache;
		assert_int_equal(init_fetcher_later_step.run(&b, &d), 0);
		assert_int_equal(b.preload.later != NULL, cases[i].named);
	}
}

static int begin(void **state)
{
	(void)state;
	w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return w == MAP_FAILED ? -1 : 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_stays_held_wherever_it_is_killed),
		cmocka_unit_test(it_is_tried_again_when_it_cannot_be_mended),
		cmocka_unit_test(nothing_is_fetched_if_nobody_would_free_it),
		cmocka_unit_test(
			the_table_waits_for_the_process_that_will_free_it),
		cmocka_unit_test(
			nothing_is_mapped_or_fetched_if_the_server_is_near),
		cmocka_unit_test(the_driver_is_named_that_may_be_needed),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
