/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot reconnect: makes new connections in place of dead ones. */
#include "boot/cli/cli.h"
#include "boot/device/device.h"
#include "port/retry.h"

#include <poll.h>
#include <string.h>

static const struct cli_option options[] = {
	{ "retry", 'r', "SECONDS", "pause between tries, 0: try once",
	  .kind = CLI_NUMBER, .max = 86400, .preset = 5 },
	{ 0 },
};

/* Retries until it works; reports an outage once, and again if it changes. */
static int fill(struct device *dev, int seconds, struct cli_call *call)
{
	const uint32_t ms = (uint32_t)seconds * 1000;
	struct nbd_retry retry = { .min = ms, .max = ms };
	struct nbd_diag reported = { "" };
	int err, lock, pause;

	nbd_retry_begin(&retry);
	for (;;) {
		lock = device_lock(dev->info.index);
		/* the watcher may have changed them since */
		err = device_count(dev, &call->d);
		if (!err)
			err = device_fill(dev, dev->wanted, &call->d);
		device_unlock(lock);
		pause = err ? nbd_retry_failed(&retry, err) : 0;
		if (pause <= 0 || !seconds)
			return err;
		if (strcmp(reported.text, call->d.text) != 0)
			cli_fail(call->subject, err, &call->d);
		reported = call->d;
		poll(NULL, 0, pause);
	}
}

static int run(struct cli_call *call)
{
	const int *seconds = call->options;
	struct device dev = { 0 };
	unsigned before;
	int rc = device_read(&dev, nbdk_parse_name(call->words[0]), &call->d);

	before = dev.live;
	if (!rc)
		rc = fill(&dev, *seconds, call);
	if (rc)
		return rc;
	cli_putf("nbd%d: %u of %u connections were dead\n", dev.info.index,
		 dev.live > before ? dev.live - before : 0, dev.wanted);
	return CLI_OK;
}

const struct command cmd_reconnect = {
	.name = "reconnect",
	.group = CLI_WATCH,
	.summary = "make new connections in place of dead ones",
	.operands = { 1, 1, { "nbdN" } },
	.devices = true,
	.options = options,
	.run = run,
};
