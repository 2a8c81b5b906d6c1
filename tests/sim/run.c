/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs schedules: sim_NAME SEED COUNT [-v] runs those of SEED, SEED + 1 ...
 * and prints a TAP line.  The first that fails ends it and is named;
 * sim_NAME THAT-SEED 1 -v prints its story.
 *
 * The product keeps state in static variables.  So that a schedule depends on
 * its seed alone, each begins with the variables as they were before the first
 * (so not with a sanitizer, which guards what lies between them).
 */
#include "tests/sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker's names for the variables of this program. */
extern char __data_start[], _end[];

/* Outlives a schedule, so not in a static variable. */
struct tally {
	jmp_buf end;
	bool failed;
	char text[512];
	struct {
		const char *name;
		uint64_t value;
	} peaks[SIM_PEAKS];
};

static struct tally *tally;
static bool verbose;
static uint64_t state;
static bool files[SIM_FILES]; /* which are open */

/* splitmix64 */
uint64_t sim_random(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t sim_below(uint64_t n)
{
	return sim_random() % n;
}

bool sim_chance(unsigned percent)
{
	return sim_below(100) < percent;
}

void sim_say(uint64_t ms, const char *fmt, ...)
{
	va_list ap;

	if (!verbose)
		return;
	printf("# %10llu.%03u ", (unsigned long long)ms / 1000,
	       (unsigned)(ms % 1000));
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void sim_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(tally->text, sizeof(tally->text), fmt, ap);
	va_end(ap);
	tally->failed = true;
	longjmp(tally->end, 1);
}

void sim_end(void)
{
	longjmp(tally->end, 1);
}

int sim_file_open(void)
{
	for (int i = 0; i < SIM_FILES; i++)
		if (!files[i]) {
			files[i] = true;
			return SIM_FILE + i;
		}
	sim_fail("more than %d descriptors are open", SIM_FILES);
}

void sim_file_close(int fd)
{
	if (fd < SIM_FILE || fd >= SIM_FILE + SIM_FILES ||
	    !files[fd - SIM_FILE])
		sim_fail("descriptor %d is closed, which is not open", fd);
	files[fd - SIM_FILE] = false;
}

unsigned sim_files_open(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SIM_FILES; i++)
		n += files[i];
	return n;
}

void sim_peak(unsigned which, const char *name, uint64_t value)
{
	tally->peaks[which].name = name;
	if (value > tally->peaks[which].value)
		tally->peaks[which].value = value;
}

static void run(uint64_t seed)
{
	state = seed;
	/* neighbouring seeds begin far apart */
	state = sim_random();
	if (!setjmp(tally->end))
		sim_schedule();
}

int main(int argc, char **argv)
{
	size_t size = (size_t)(_end - __data_start);
	char *saved = malloc(size);
	uint64_t seed, last;

	tally = calloc(1, sizeof(*tally));
	if (argc < 3 || !saved || !tally) {
		fprintf(stderr, "usage: %s SEED COUNT [-v]\n", argv[0]);
		return 2;
	}
	seed = strtoull(argv[1], NULL, 0);
	last = seed + strtoull(argv[2], NULL, 0);
	verbose = argc > 3;
	setvbuf(stdout, NULL, _IOLBF, 0);
	memcpy(saved, __data_start, size);
	for (; seed != last && !tally->failed; seed++) {
		run(seed);
		memcpy(__data_start, saved, size);
	}
	for (unsigned i = 0; i < SIM_PEAKS; i++)
		if (tally->peaks[i].name)
			printf("# at most %llu %s\n",
			       (unsigned long long)tally->peaks[i].value,
			       tally->peaks[i].name);
	if (tally->failed)
		printf("not ok - %s\n# %s\n# its story: %s %llu 1 -v\n",
		       sim_claim, tally->text, argv[0],
		       (unsigned long long)(seed - 1));
	else
		printf("ok - in %s schedules from %s on %s\n", argv[2], argv[1],
		       sim_claim);
	return tally->failed;
}
