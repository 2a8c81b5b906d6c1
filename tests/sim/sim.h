/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A schedule: one run of a part of the product against a world that is made up
 * from a seed.  Nothing in it waits, opens a socket or reads a clock, so the
 * same seed gives the same schedule.  run.c runs many of them.
 */
#ifndef TESTS_SIM_SIM_H
#define TESTS_SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>

/* A simulation defines these: what holds in each schedule, and a schedule. */
extern const char sim_claim[];
void sim_schedule(void);

/* Random numbers of this schedule. */
uint64_t sim_random(void);
/* From 0 to n - 1; n > 0. */
uint64_t sim_below(uint64_t n);
/* True in so many of a hundred cases. */
bool sim_chance(unsigned percent);

/* Prints a line of the story, with the time in ms, if -v was given. */
void sim_say(uint64_t ms, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends the schedule: what holds was broken, or it has gone on long enough. */
_Noreturn void sim_fail(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
_Noreturn void sim_end(void);

/*
 * Descriptors of a schedule: SIM_FILE to SIM_FILE + SIM_FILES - 1.  It fails if
 * more are open, or one is closed that is not.
 */
enum { SIM_FILE = 1000, SIM_FILES = 64 };
int sim_file_open(void);
void sim_file_close(int fd);
unsigned sim_files_open(void);

/* Keeps the largest value of all schedules, printed at the end by name. */
enum { SIM_PEAKS = 4 };
void sim_peak(unsigned which, const char *name, uint64_t value);

#endif
