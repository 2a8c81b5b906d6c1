/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watching one device:
 *
 *  read it, load credentials, resolve --> harden --> take over --> ready
 *  wait --LINK_DEAD, uevent, it is time--> check --> fill dead slots
 *    ^                                                    |
 *    '----- pause, longer while they die or fail soon ----'
 *                 names are asked for again: servers.c
 *
 *  wait --it is time--> end connections on which a read is stuck: stall.c
 *  wait --a wrong block--> leave the server that sent it: liar.c
 *  wait --a larger device--> a larger mapping of it: growth.c
 */
#include "boot/watch/watch.h"
#include "boot/watch/growth.h"
#include "boot/watch/liar.h"
#include "boot/watch/servers.h"
#include "boot/watch/stall.h"
#include "boot/system/confine.h"
#include "boot/system/harden.h"
#include "boot/system/ready.h"
#include "port/probe.h"
#include "port/retry.h"
#include "port/linux/module.h"
#include "port/linux/nbdk_watch.h"
#include "port/linux/suspend.h"
#include "port/posix/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <unistd.h>

/* ms between tries. */
#define PAUSE_MIN  100
#define PAUSE_MAX  2000
/* ms that a connection has to live, or else the next try has to wait. */
#define LIFE_MS	   5000
/* ms after a report in which its socket may still look alive. */
#define DOUBT_MS   2500
/* Tries in a row without any answer, until that is reported. */
#define SILENT_MAX 2
/* ms for a server to accept a connection: retrying reaches it sooner. */
#define CONNECT_MS 3000

/*
 * For the driver, for tags of sockets and the kernel's TLS, for memory that is
 * locked, and for UNIX sockets of servers that run as other users.
 */
#define RIGHTS                                                            \
	(1u << CAP_SYS_ADMIN | 1u << CAP_NET_ADMIN | 1u << CAP_IPC_LOCK | \
	 1u << CAP_DAC_OVERRIDE)

struct worker {
	struct device dev;
	struct nbdk_watch events;
	struct nl_sock uevents;
	unsigned deaths; /* that the driver reported, not replaced yet */
	/*
	 * The driver reports a death before it shuts the socket.  Until then
	 * the socket still looks alive, and no event will follow.
	 */
	bool in_doubt;
	bool blind;    /* the kernel has no sock_diag for these sockets */
	uint64_t sure; /* nbd_now_ms() when the doubt ends */
	struct nbd_retry look;	/* the checks while in doubt */
	struct nbd_retry retry; /* the tries */
	uint64_t tried;	   /* nbd_now_ms() when the last try ended, 0: never */
	bool made;	   /* by the last try: all that were dead */
	uint64_t next;	   /* the next try, not sooner */
	uint64_t answered; /* requests, at the last try */
	unsigned silent;   /* tries in a row without an answer */
	uint64_t outage;   /* ms until a reboot, 0: never */
	uint64_t since;	   /* awake_ms() when answers ceased, 0: they come */
	uint64_t last;	   /* requests that were answered by then */
	struct watch_stall stall;
	struct watch_liar liar;
	struct watch_growth grow;
	int found;	      /* can be read when the liar needs a look */
	struct nbd_diag told; /* the last message in the log */
	struct watch_servers servers;
	char first_backend[NBDK_BACKEND_MAX + 1];
};

/* The kernel's log and the journal take a level, as "<2>", from the text. */
static void log_at(struct worker *w, const char *level,
		   const struct nbd_diag *d)
{
	char line[600];
	int n = nbd_fmt(line, sizeof(line), "%snbdboot: nbd%d: %s\n",
			isatty(2) ? "" : level, w->dev.info.index, d->text);

	w->told = *d;
	if (n > 0 && write(2, line, (size_t)n) < 0)
		errno = 0;
}

static void log_change(struct worker *w, const struct nbd_diag *d)
{
	log_at(w, "", d);
}

/* ---- preparation: all that needs files or name servers ---- */

/* Does all that may need a file; from here on there may be none. */
static int prepare(struct worker *w, int index, struct nbd_diag *d)
{
	struct backend *b = &w->dev.b;
	int err = device_read(&w->dev, index, d);

	if (err && !w->dev.known)
		return err;
	/*
	 * the kernel would look for the module each time, later in a dead root
	 */
	w->blind = err == NBD_E_NOT_FOUND;
	/* no more than the text: a page that is written stays in memory */
	memcpy(w->first_backend, w->dev.info.backend,
	       strlen(w->dev.info.backend) + 1);
	if (watch_uevent_open(&w->uevents, NULL))
		w->uevents.fd = -1;
	err = nbdk_watch_open(&w->events, d);
	if (err)
		return err;
	/* before there are more servers than names: they share credentials */
	err = device_dialer_keep(&w->dev.dialer, b, d);
	watch_servers_open(&w->servers, b);
	if (!err && d->text[0])
		log_change(w, d);
	return err;
}

/* ---- the watch ---- */

/* Is this still the device that was there at the start? */
static bool is_there(const struct worker *w)
{
	struct nbdk_info now;

	errno = 0;
	if (!nbdk_info(w->dev.info.index, &now) && now.connected &&
	    !strcmp(now.backend, w->first_backend))
		return true;
	/* it could not be asked for */
	return errno == ENOMEM || errno == ENFILE || errno == EMFILE;
}

/*
 * Without sock_diag in the kernel the driver's reports count: replaces as many
 * connections as died.
 */
static int replace_the_told(struct worker *w, struct nbd_diag *d)
{
	int err = 0;

	while (w->deaths && !err) {
		err = device_add(&w->dev, d);
		w->deaths -= !err;
	}
	return err ? err : device_grow(&w->dev, d);
}

/* A count that fails is no proof of life. */
static bool is_whole(struct worker *w)
{
	device_reread(&w->dev);
	if (w->blind || device_count(&w->dev, NULL))
		return w->blind && !w->deaths;
	w->deaths = 0;
	return w->dev.live >= w->dev.wanted;
}

/*
 * Sets made.  Race: until the lock is held, another process may make the same
 * connections (`nbdboot reconnect`).
 */
static int fill(struct worker *w, struct nbd_diag *d)
{
	int lock = device_lock(w->dev.info.index), err;

	w->made = !is_whole(w);
	err = !w->made ? 0
	      : !w->dev.counted && w->deaths
		      ? replace_the_told(w, d)
		      : device_fill(&w->dev, w->dev.wanted, d);
	w->made &= !err;
	device_unlock(lock);
	return err;
}

/* After the last try all connections died: was any request answered? */
static void look_back(struct worker *w)
{
	unsigned in_flight = 0;
	uint64_t answered = nbdk_answered(w->dev.info.index, &in_flight);

	if (w->tried)
		w->silent = in_flight && answered == w->answered ? w->silent + 1
								 : 0;
	w->answered = answered;
}

/*
 * The servers cannot be reached, or are of no use: their names may be those of
 * other machines by now, which are tried without a pause.
 */
static void search(struct worker *w)
{
	struct nbd_diag d = { "" };

	if (!watch_servers_again(&w->servers, &w->dev.b, &d))
		return;
	device_dialer_moved(&w->dev.dialer);
	log_change(w, &d);
	nbd_retry_begin(&w->retry);
	w->next = nbd_now_ms() + nbd_retry_pause(&w->retry);
}

/* ms. */
static int until(uint64_t then)
{
	uint64_t now = nbd_now_ms();

	return then > now ? (int)(then - now) : 0;
}

/* Logs a change of state, and everything after a quiet time. */
static void report(struct worker *w, int err, struct nbd_diag *d)
{
	if (!err && w->silent >= SILENT_MAX)
		nbd_diag(d, 0,
			 "the server accepts connections, but answers no "
			 "request on them: it may be broken, or large packets "
			 "are lost on the way (MTU)");
	else if (!err)
		nbd_diag(d, 0, "all connections live again");
	if (w->retry.failures == 1 || strcmp(w->told.text, d->text) != 0)
		log_change(w, d);
}

/*
 * Revives dead connections, at once unless the last try was a moment ago.
 * Returns the ms until the next try; -1: none is needed.
 */
static int revive(struct worker *w)
{
	struct nbd_diag d = { "" };
	uint64_t now = nbd_now_ms();
	bool dropped;
	int err;

	if (is_whole(w))
		return -1;
	if (now < w->next)
		return until(w->next);
	dropped = w->made && now - w->tried <= LIFE_MS;
	if (now - w->tried > LIFE_MS)
		nbd_retry_begin(&w->retry);
	else if (dropped)
		device_dialer_avoid(&w->dev.dialer);
	look_back(w);
	NBD_PROBE2(revive, w->dev.info.index, w->dev.live);
	err = fill(w, &d);
	NBD_PROBE3(revived, w->dev.info.index, w->dev.live, err);
	/* the driver sends reads again, over what was made */
	if (w->made)
		watch_stall_forget(&w->stall);
	w->next = nbd_now_ms() + nbd_retry_pause(&w->retry);
	report(w, err, &d);
	if (err || dropped)
		search(w);
	else
		watch_servers_found(&w->servers);
	w->tried = nbd_now_ms();
	return err ? until(w->next) : -1;
}

static void doubt(struct worker *w)
{
	watch_stall_forget(&w->stall);
	w->in_doubt = true;
	nbd_retry_begin(&w->look);
	w->sure = nbd_now_ms() + DOUBT_MS;
}

static void take_death(void *ctx, int index)
{
	struct worker *w = ctx;

	if (index != w->dev.info.index)
		return;
	w->deaths++;
	NBD_PROBE2(dead, index, w->deaths);
	doubt(w);
}

/* Waits until something happens, or ms are over (-1: never). */
static void await(struct worker *w, int ms)
{
	struct pollfd p[3] = { { w->events.nl.fd, POLLIN, 0 },
			       { w->uevents.fd, POLLIN, 0 },
			       { w->found, POLLIN, 0 } };

	poll(p, 3, ms);
	/* a lost report may have been a death */
	if (nbdk_watch_read(&w->events, take_death, w))
		doubt(w);
	/* the driver sends the uevent of the end before it removes `pid` */
	if (watch_uevent_is_nbd(&w->uevents, watch_liar_hear, &w->liar))
		doubt(w);
}

/*
 * Nothing is written first: that would wait for the server, too.  A quiet
 * console shows why the machine reboots.
 */
static void give_up(struct worker *w)
{
	struct nbd_diag d;

	nbd_diag(&d, 0, "no answer for %u s: rebooting (nbdboot.outage=)",
		 (unsigned)(w->outage / 1000));
	log_at(w, "<2>", &d);
	if (reboot(RB_AUTOBOOT)) {
		nbd_diag(&d, 0, "reboot: %s", strerror(errno));
		log_at(w, "<2>", &d);
	}
	w->outage = 0;
}

/* A machine that is suspended asks for nothing. */
static uint64_t awake_ms(void)
{
	return nbd_now_ms() - suspend_ms();
}

/*
 * A new connection is no answer yet: the server may accept it and then be
 * silent.  Returns the ms until the outage is too long; -1: there is none.
 */
static int time_left(struct worker *w)
{
	bool away = w->blind ? w->deaths >= w->dev.wanted
			     : w->dev.counted && !w->dev.live;
	uint64_t now = awake_ms(), answered;
	unsigned in_flight = 0;

	if (!w->outage)
		return -1;
	answered = nbdk_answered(w->dev.info.index, &in_flight);
	if (!away && (!in_flight || answered != w->last)) {
		w->since = 0;
		w->last = answered;
		return -1;
	}
	if (!w->since) {
		w->since = now;
		w->last = answered;
	}
	/* a sum: by two clocks, now may be a millisecond before w->since */
	if (now < w->since + w->outage)
		return (int)(w->since + w->outage - now);
	give_up(w);
	return -1;
}

/* Returns the ms until the next look; -1: never. */
static int end_stuck(struct worker *w)
{
	struct nbd_diag d = { "" };
	int ms = w->blind ? -1 : watch_stall_look(&w->stall, &w->dev, &d);

	if (d.text[0] && strcmp(w->told.text, d.text) != 0)
		log_change(w, &d);
	return ms;
}

static void find_liar(struct worker *w)
{
	struct nbd_diag d = { "" };

	watch_liar_look(&w->liar, &w->dev, &d);
	if (d.text[0])
		log_at(w, "<2>", &d);
}

/* ms; -1: never. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void follow(struct worker *w)
{
	while (is_there(w)) {
		int ms;

		find_liar(w);
		ms = revive(w);
		if (w->in_doubt && ms < 0) {
			ms = (int)nbd_retry_pause(&w->look);
			/* after one more check it is certain */
			w->in_doubt = nbd_now_ms() < w->sure;
		}
		ms = sooner(ms, time_left(w));
		ms = sooner(ms, watch_growth_look(&w->grow, &w->dev));
		await(w, sooner(ms, end_stuck(w)));
	}
}

int watch_worker_run(int index, unsigned outage, struct nbd_diag *d)
{
	/*
	 * Too large for a stack; a process watches one device.  From the start of
	 * a page, so that a build decides nothing about how many of its pages are
	 * touched, and so locked.
	 */
	static _Alignas(4096) struct worker w;
	int err = prepare(&w, index, d);

	if (err)
		return err;
	boot_log_to_kernel();
	watch_ask_open(&w.stall.ask);
	w.found = watch_liar_open(&w.liar, w.stall.ask.devices);
	watch_growth_open(&w.grow, w.stall.ask.devices);
	/* tables of modules may be on the root; a watcher may load none anyway */
	mod_dirs.lib = "/dev/null";
	boot_harden();
	err = watch_takeover(index, d);
	if (err < 0)
		return err;
	/* in a watcher from an initramfs, the root has no /sys later */
	if (chdir("/sys/block"))
		return nbd_diag(d, NBD_E_IO, "/sys/block: %s", strerror(errno));
	nbdk_sys = ".";
	w.outage = (uint64_t)outage * 1000;
	w.look.min = w.retry.min = PAUSE_MIN;
	w.look.max = w.retry.max = PAUSE_MAX;
	nbd_retry_begin(&w.retry);
	dial_connect_ms = CONNECT_MS;
	boot_confine(outage ? RIGHTS | 1u << CAP_SYS_BOOT : RIGHTS);
	boot_ready_tell();
	follow(&w);
	return 0;
}
