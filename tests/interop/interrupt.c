/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends a signal to a command that waits:
 *
 *	interrupt LIMIT SIGNAL CALL COMMAND...
 *
 * The signal comes when the command sleeps in the system call of that number
 * (/proc/PID/syscall) and takes no CPU time any more.  Prints how it ended
 * ("exit STATUS", "signal N") and when ("soon", "late"; control.h); "never" if
 * it ended without such a wait.  After LIMIT s both are killed.
 */
#include "control.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/* Looks, 1 ms apart, for which it does not run. */
#define LOOKS 100

struct look {
	long call; /* -1: it runs, or is gone */
	unsigned long switches;
};

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return fopen(path, "re");
}

static struct look look_at(pid_t pid)
{
	struct look l = { -1, 0 };
	FILE *f = open_proc(pid, "syscall");
	char line[256];

	if (f && fscanf(f, "%ld", &l.call) != 1)
		l.call = -1;
	if (f)
		fclose(f);
	f = open_proc(pid, "status");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "voluntary_ctxt_switches:"))
			l.switches += strtoul(strchr(line, ':') + 1, NULL, 10);
	if (f)
		fclose(f);
	return l;
}

static bool is_over(pid_t pid, int *status)
{
	return waitpid(pid, status, WNOHANG) == pid;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
}

/* False: it has ended before. */
static bool waits(pid_t pid, long call, int *status)
{
	struct look before = { -1, 0 }, now;

	for (int same = 0; same < LOOKS; same++) {
		if (is_over(pid, status))
			return false;
		now = look_at(pid);
		if (now.call != call || now.switches != before.switches)
			same = 0;
		before = now;
		nap();
	}
	return true;
}

static void say(int status, const char *when)
{
	printf("%s %d %s\n", WIFSIGNALED(status) ? "signal" : "exit",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	       when);
}

int main(int argc, char *argv[])
{
	pid_t pid, control;
	int status = 0;

	if (argc < 5)
		return 2;
	alarm((unsigned)atoi(argv[1]));
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGINT, SIG_DFL); /* a shell's background ignores it */
		execv(argv[4], argv + 4);
		_exit(127);
	}
	if (!waits(pid, atol(argv[3]), &status)) {
		say(status, "never");
		return 0;
	}
	control = control_start(pid, atoi(argv[2]));
	while (!is_over(pid, &status))
		nap();
	say(status, control_end(control));
	return 0;
}
