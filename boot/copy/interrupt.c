/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SIGINT and SIGTERM.  A signal that arrives just before a system call does not
 * interrupt it, so the handler starts a timer that sends further signals.
 *
 *   signal --> ticks: finish --ABANDON--> say goodbye --LEAVE--> exit
 *
 * The clock counts, not the signals: on a busy machine they come late, and
 * several count as one.  Yet each stage gets one.
 */
#include "boot/copy/copy.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

volatile int copy_interrupted;
static volatile uint64_t began; /* nbd_now_ms() */

/* Handlers of signals follow: only functions listed in signal-safety(7). */

static int next_stage(void)
{
	if (copy_interrupted < COPY_ABANDON)
		return COPY_ABANDON;
	return copy_interrupted < COPY_LEAVE ? COPY_LEAVE : COPY_LEAVE + 1;
}

static void tick(int sig)
{
	static const char text[] = "nbdboot: copy: interrupted\n";
	uint64_t now = 1 + (nbd_now_ms() - began) / COPY_TICK_MS;
	int most = next_stage();

	(void)sig;
	copy_interrupted = now < (uint64_t)most ? (int)now : most;
	if (copy_interrupted <= COPY_LEAVE)
		return;
	(void)!write(2, text, sizeof(text) - 1);
	_exit(1);
}

static void interrupt(int sig)
{
	const struct timeval each = { 0, COPY_TICK_MS * 1000 };
	const struct itimerval timer = { each, each };

	(void)sig;
	if (copy_interrupted)
		return;
	began = nbd_now_ms();
	copy_interrupted = 1;
	setitimer(ITIMER_REAL, &timer, NULL);
}

void copy_catch_signals(void)
{
	/* no SA_RESTART: a signal ends every wait */
	struct sigaction a = { .sa_handler = interrupt };

	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	a.sa_handler = tick;
	sigaction(SIGALRM, &a, NULL);
	a.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &a, NULL);
}
