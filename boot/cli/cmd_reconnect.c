/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot reconnect: new connections for a device whose old ones died.
 * nbdboot scale and rotate: more, fewer or other ones while it is in use.
 */
#include "boot/cli/cli.h"
#include "boot/device/device.h"

#include <poll.h>
#include <string.h>

/* Seconds between tries. */
#define RETRY 5

static struct device dev;

/* Reads the device that the only operand names: CLI_OK, or tells why not. */
static int take_device(const struct cli_args *a, struct nbd_diag *d)
{
	int index, err;

	if (!cli_operands(a, 1, 1))
		return CLI_USAGE;
	index = nbdk_parse_name(a->argv[a->i]);
	if (index < 0)
		return cli_no_device(a->argv[0], a->argv[a->i]);
	err = device_read(&dev, index, d);
	return err ? cli_fail(a->argv[a->i], err, d) : CLI_OK;
}

/* Tries until it works; what may pass is told once, and again if it changes. */
static int retry(const char *name, unsigned want, long seconds)
{
	struct nbd_diag d = { "" }, told = { "" };
	int err, lock;

	for (;;) {
		lock = device_lock(dev.info.index);
		err = device_fill(&dev, want, &d);
		device_unlock(lock);
		if (!err)
			break;
		if (!nbd_err_is_outage(err) || !seconds)
			return cli_fail(name, err, &d);
		if (strcmp(told.text, d.text) != 0)
			cli_fail(name, err, &d);
		told = d;
		poll(NULL, 0, (int)seconds * 1000);
	}
	return CLI_OK;
}

int cmd_reconnect(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 'r', true, "retry" },
						     { 0 } };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_diag d = { "" };
	long seconds = RETRY;
	unsigned before;
	int o;

	while ((o = cli_next(&a, options)) > 0) {
		seconds = cli_number(&a, 0, 86400);
		if (seconds < 0)
			return CLI_USAGE;
	}
	if (o < 0)
		return CLI_USAGE;
	o = take_device(&a, &d);
	if (o)
		return o;
	before = dev.live;
	o = retry(argv[a.i], dev.wanted, seconds);
	if (o)
		return o;
	nbd_putf(&cli_out, "nbd%d: %u of %u connections were dead\n",
		 dev.info.index, dev.live > before ? dev.live - before : 0,
		 dev.wanted);
	return cli_flush();
}

/* Ends the newest of those that live: the list begins with them. */
static int end_one(struct nbd_diag *d)
{
	for (unsigned i = 0; i < dev.n_links; i++)
		if (dev.links[i].live)
			return device_end(&dev.links[i], d);
	return 0;
}

static int shrink(unsigned want, struct nbd_diag *d)
{
	int err = 0;

	while (!err && dev.live > want) {
		err = end_one(d);
		/* gone by itself meanwhile: just as well */
		if (!err || err == NBD_E_NOT_FOUND)
			err = device_count(&dev, d);
	}
	return err;
}

int cmd_scale(int argc, char *argv[])
{
	static const struct cli_option options[] = {
		{ 'c', true, "connections" }, { 0 }
	};
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_diag d = { "" };
	long want = 0;
	int o, lock;

	while ((o = cli_next(&a, options)) > 0) {
		want = cli_number(&a, 1, CONFIG_PORT_MAX_CONNECTIONS);
		if (want < 0)
			return CLI_USAGE;
	}
	if (o < 0)
		return CLI_USAGE;
	if (!want)
		return cli_usage(argv[0], "how many connections (-c N)?");
	o = take_device(&a, &d);
	if (o)
		return o;
	if ((unsigned)want > device_backend_slots(&dev.b)) {
		nbd_diag(&d, NBD_E_USAGE,
			 "it was connected with room for %u, and the kernel "
			 "adds none: disconnect it and connect -m %ld",
			 device_backend_slots(&dev.b), want);
		return cli_fail(argv[a.i], NBD_E_NO_MEMORY, &d);
	}
	/* first, or else the watcher would bring back what is ended */
	o = device_want(dev.info.index, (unsigned)want, &d);
	lock = device_lock(dev.info.index);
	if (!o)
		o = device_count(&dev, &d);
	if (!o)
		o = dev.live > (unsigned)want
			    ? shrink((unsigned)want, &d)
			    : device_fill(&dev, (unsigned)want, &d);
	device_unlock(lock);
	return o ? cli_fail(argv[a.i], o, &d) : CLI_OK;
}

/* One after the other, so that most of them always carry I/O. */
int cmd_rotate(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 0 } };
	static struct sockdiag_link old[DEVICE_LINKS];
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_diag d = { "" };
	unsigned n, live;
	int err, lock;

	if (cli_next(&a, options) < 0)
		return CLI_USAGE;
	err = take_device(&a, &d);
	if (err)
		return err;
	lock = device_lock(dev.info.index);
	err = device_count(&dev, &d);
	n = dev.n_links;
	live = dev.live;
	memcpy(old, dev.links, sizeof(old));
	for (unsigned i = 0; i < n && !err; i++) {
		if (!old[i].live)
			continue;
		err = device_end(&old[i], &d);
		if (!err || err == NBD_E_NOT_FOUND)
			err = device_fill(&dev, live, &d);
	}
	device_unlock(lock);
	return err ? cli_fail(argv[a.i], err, &d) : CLI_OK;
}
