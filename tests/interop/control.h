/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a command end within a second of a signal?  On a busy machine a second
 * of the clock says nothing: the command may have been ready to run all the
 * time.  So a process beside it takes naps of 10 ms from the moment of the
 * signal, and counts those after which the command sleeps, or has used the
 * processor.  A hundred of them are late.  What the kernel does with a process
 * that exits (a network namespace with its devices goes) does not count.
 */
#ifndef TESTS_INTEROP_CONTROL_H
#define TESTS_INTEROP_CONTROL_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONTROL_NAPS	100
#define CONTROL_EXITING 0x4u /* PF_EXITING of the kernel */

/* Did it sleep of its own will, or use the processor, since *used ticks? */
static int control_had_time(int stat, unsigned long *used)
{
	char text[1024], state;
	ssize_t n = pread(stat, text, sizeof(text) - 1, 0);
	unsigned long user, system, before = *used;
	unsigned flags;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* its name may have blanks and parentheses */
	if (sscanf(strrchr(text, ')') + 1,
		   " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %lu %lu", &state,
		   &flags, &user, &system) != 4 ||
	    flags & CONTROL_EXITING)
		return 0;
	*used = user + system;
	return state == 'S' || (state == 'R' && *used != before);
}

/* Sends the signal, and returns the pid of the process beside. */
static pid_t control_start(pid_t pid, int sig)
{
	const struct timespec nap = { 0, 10000000 };
	unsigned long used = 0;
	char path[32];
	int naps = 0, stat;
	pid_t control;

	/* first: between the two this process may wait for the processor */
	kill(pid, sig);
	control = fork();
	if (control == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		stat = open(path, O_RDONLY);
		control_had_time(stat, &used);
		while (naps < CONTROL_NAPS) {
			nanosleep(&nap, NULL);
			naps += control_had_time(stat, &used);
		}
		_exit(0);
	}
	return control;
}

/* The command has ended.  control 0: there was no signal. */
static const char *control_end(pid_t control)
{
	if (control <= 0)
		return "-";
	if (waitpid(control, NULL, WNOHANG) == control)
		return "late";
	kill(control, SIGKILL);
	waitpid(control, NULL, 0);
	return "soon";
}

#endif
