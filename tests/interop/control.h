/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a command end within a second of a signal?  On a busy machine a second
 * says nothing.  So a process beside it takes a hundred naps of 10 ms from the
 * moment of the signal: the command has to end before that one.
 */
#ifndef TESTS_INTEROP_CONTROL_H
#define TESTS_INTEROP_CONTROL_H

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sends the signal, and returns the pid of the process beside. */
static pid_t control_start(pid_t pid, int sig)
{
	const struct timespec nap = { 0, 10000000 };
	pid_t control = fork();

	if (control == 0) {
		for (int i = 0; i < 100; i++)
			nanosleep(&nap, NULL);
		_exit(0);
	}
	kill(pid, sig);
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
