/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/device/signals.h"

#include <poll.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The kernel would queue one that is ignored, too, while it is blocked. */
static void add(sigset_t *set, int signal)
{
	struct sigaction a;

	if (!sigaction(signal, NULL, &a) && a.sa_handler != SIG_IGN)
		sigaddset(set, signal);
}

void device_signals_hold(struct device_signals *s)
{
	sigset_t ends;

	sigemptyset(&ends);
	add(&ends, SIGINT);
	add(&ends, SIGQUIT);
	add(&ends, SIGTERM);
	add(&ends, SIGHUP);
	add(&ends, SIGPIPE);
	sigprocmask(SIG_BLOCK, &ends, &s->before);
	/* one that process 1 blocks stays pending, and would end each try */
	s->fd = sigismember(&s->before, SIGTERM)
			? -1
			: signalfd(-1, &ends, SFD_CLOEXEC);
}

void device_signals_release(struct device_signals *s)
{
	if (s->fd >= 0)
		close(s->fd);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}

bool device_signals_came(const struct device_signals *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}
