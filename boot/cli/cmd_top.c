/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot top: `latency` of all devices on a screen that is drawn anew each
 * second.  Signals are read like keys, so that every end restores the terminal.
 */
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "boot/cli/loads.h"

#define PERIOD_MS 1000

/* xterm's second screen, without a cursor; and back. */
static const char enter[] = "\033[?1049h\033[?25l";
static const char leave[] = "\033[?25h\033[?1049l";

struct screen {
	struct termios saved;
	bool keys; /* standard input is a terminal: saved is valid */
	int signals;
	unsigned rows, columns, row;
};

/* ---- the terminal ---- */

static void open_screen(struct screen *s)
{
	struct termios t;

	s->keys = !tcgetattr(0, &s->saved);
	t = s->saved;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	if (s->keys)
		tcsetattr(0, TCSANOW, &t);
	nbd_put(&cli_out, enter, sizeof(enter) - 1);
}

static void close_screen(const struct screen *s)
{
	nbd_put(&cli_out, leave, sizeof(leave) - 1);
	cli_flush();
	if (s->keys)
		tcsetattr(0, TCSANOW, &s->saved);
}

static void measure(struct screen *s)
{
	struct winsize w = { 0 };

	ioctl(1, TIOCGWINSZ, &w);
	s->rows = w.ws_row ? w.ws_row : 24;
	s->columns = w.ws_col ? w.ws_col : 80;
}

/* ---- what is on it ---- */

static void end_line(struct screen *s)
{
	cli_putf("\033[K\r\n");
	s->row++;
}

static void put_rate(uint64_t n, const struct device_latency *l)
{
	cli_putf("%8llu", (unsigned long long)((n * 1000 + l->ms / 2) / l->ms));
}

static void put_row(void *ctx, const struct device *dev,
		    const struct device_latency *l)
{
	const struct nbdk_count *r = &l->kind[NBDK_READ];
	const struct nbdk_count *w = &l->kind[NBDK_WRITE];
	struct screen *s = ctx;

	/* the last line stays empty, or the screen would scroll */
	if (s->row + 1 >= s->rows)
		return;
	cli_putf("nbd%-4d", dev->info.index);
	put_rate(r->n, l);
	put_rate(r->sectors / 2, l);
	put_rate(w->n, l);
	put_rate(w->sectors / 2, l);
	cli_putf("%6u", l->in_flight);
	cli_put_ms(l->latency, 9);
	cli_put_ms(l->network, 9);
	cli_put_ms(l->server, 9);
	cli_putf("%5u  %s", dev->live, device_slow_text(l->slow));
	if (l->retries)
		cli_putf(", %llu lost", (unsigned long long)l->retries);
	end_line(s);
}

static void draw(struct screen *s, struct cli_loads *loads, char *names[],
		 struct nbd_diag *d)
{
	measure(s);
	s->row = 0;
	/* no line may wrap: 7 is the mode for that */
	cli_putf("\033[?7l\033[H\033[1m");
	cli_putf("DEVICE  READ/S   KIB/S WRITE/S   KIB/S BUSY  TIME/MS"
		 "  NETWORK   SERVER LIVE  SLOW\033[0m");
	end_line(s);
	if (cli_loads(loads, names, put_row, s, d) < 0) {
		cli_putf("%s", d->text);
		end_line(s);
	} else if (!loads->n) {
		cli_putf("no device is connected");
		end_line(s);
	} else if (cli_left_out(loads->left_out, d)) {
		cli_putf("%s", d->text);
		end_line(s);
	}
	cli_putf("q ends\033[J\033[?7h");
	cli_out.flush(&cli_out);
}

/* ---- events ---- */

static int catch_signals(void)
{
	static const int all[] = { SIGINT,  SIGTERM, SIGHUP,   SIGQUIT,
				   SIGPIPE, SIGTSTP, SIGWINCH, SIGCONT };
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		sigaddset(&set, all[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* True if the signal ends the program. */
static bool handle_signal(struct screen *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return true;
	switch (info.ssi_signo) {
	case SIGTSTP:
		close_screen(s);
		raise(SIGSTOP);
		open_screen(s);
		return false;
	case SIGCONT:
	case SIGWINCH:
		return false;
	}
	return true;
}

/* Waits for a period, a key or a signal.  True: it is time to end. */
static bool await(struct screen *s)
{
	struct pollfd p[] = { { .fd = s->signals, .events = POLLIN },
			      { .fd = s->keys ? 0 : -1, .events = POLLIN } };
	char key;

	if (poll(p, 2, PERIOD_MS) <= 0)
		return false;
	if (p[0].revents)
		return handle_signal(s);
	return read(0, &key, 1) != 1 || key == 'q';
}

static int run(struct cli_call *call)
{
	struct cli_loads loads = { .n = 0 };
	struct screen s = { .keys = false };

	if (!isatty(1))
		return cli_usage("top", "standard output is no terminal: use "
					"`nbdboot latency`");
	s.signals = catch_signals();
	open_screen(&s);
	do
		draw(&s, &loads, call->words, &call->d);
	while (!await(&s));
	close_screen(&s);
	return CLI_OK;
}

const struct command cmd_top = {
	.name = "top",
	.group = CLI_TRACE,
	.summary = "show the load and the latency of devices, live",
	.operands = { 0, CLI_ANY, { "nbdN" } },
	.devices = true,
	.run = run,
};
