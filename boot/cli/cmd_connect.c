/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot connect: makes a kernel block device from an export. */
#include "boot/cli/connect.h"
#include "port/linux/nbdk.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static const struct cli_option options[] = {
	{ "connections", 'c', "N", "connections to make",
	  CLI_FIELD(struct cli_connect, at.b.connections), .min = 1,
	  .max = CONFIG_PORT_MAX_CONNECTIONS, .preset = 1 },
	{ "name", 'n', "NAME", "the export's name (the default export)",
	  CLI_FIELD(struct cli_connect, server.name) },
	{ "device", 'd', "nbdN", "use this device (the first free one)",
	  .kind = CLI_DEVICE, .at = offsetof(struct cli_connect, at.index),
	  .preset = -1 },
	{ "block-size", 'b', "BYTES",
	  "the device's block size (the export's minimum, at least 512)",
	  CLI_FIELD(struct cli_connect, at.block_size), .min = 512,
	  .max = 4096 },
	{ "read-only", 'R', NULL, "make the device read-only",
	  CLI_FIELD(struct cli_connect, at.read_only) },
	{ "no-identity", 0, NULL,
	  "with -R: accept another disk image after an outage",
	  CLI_FIELD(struct cli_connect, any_image) },
	{ "timeout", 't', "SECONDS",
	  "time until a request is repeated on another connection (30)",
	  CLI_FIELD(struct cli_connect, at.io_timeout), .min = 1, .max = 86400,
	  .preset = ATTACH_DEFAULT },
	{ "dead-timeout", 'D', "SECONDS",
	  "how long I/O waits after the last connection died (years)",
	  CLI_FIELD(struct cli_connect, at.b.dead_timeout), .max = INT32_MAX,
	  .preset = ATTACH_DEFAULT },
	{ .more = cli_slots_options },
};

/* A device was meant, as in the operands of nbd-client. */
static int refuse_device(const char *word, struct nbd_diag *d)
{
	return nbdk_parse_name(word) < 0
		       ? 0
		       : nbd_diag(d, NBD_E_USAGE,
				  "a device, not a server (for a device: -d "
				  "%s)",
				  word);
}

/* Parses the servers, in the order of the words. */
static int take_servers(struct cli_connect *to, struct cli_target targets[],
			struct cli_call *call)
{
	struct backend *b = &to->at.b;
	int err = 0;

	b->files = to->server.files;
	for (char **word = call->words; *word && !err; word++) {
		struct cli_target *t = &targets[b->servers];

		call->subject = *word;
		/* the first one may be a host of that name */
		err = b->servers ? refuse_device(*word, &call->d) : 0;
		if (!err)
			err = cli_target(t, *word, &to->server, &call->d);
		b->uris[b->servers++] = t->uri;
	}
	return err;
}

/* Prints the name of the device.  A reader may have stopped, or gone. */
static int tell(int index, const struct device_signals *signals,
		struct nbd_diag *d)
{
	struct pollfd p[] = { { .fd = STDOUT_FILENO, .events = POLLOUT },
			      { .fd = signals->fd, .events = POLLIN } };

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	if (p[0].revents == POLLOUT) {
		cli_putf("nbd%d\n", index);
		return cli_flush();
	}
	return p[0].revents ? nbd_diag(d, NBD_E_IO,
				       "standard output: nobody reads it")
			    : nbd_diag(d, NBD_E_INTERRUPTED, "interrupted");
}

static int run(struct cli_call *call)
{
	struct cli_target targets[BACKEND_SERVERS];
	struct cli_connect *to = call->options;
	struct device_signals signals;
	int index, rc = take_servers(to, targets, call);

	if (rc)
		return rc;
	call->subject = call->words[0];
	/* a writable export may get a new file system at any time */
	to->at.identity = to->at.read_only && !to->any_image;
	index = device_attach(&to->at, &signals, &call->d);
	if (index < 0)
		return index;
	cli_warn(call->subject, &call->d);
	rc = tell(index, &signals, &call->d);
	/* a device whose name nobody knows must not stay */
	if (rc)
		nbdk_disconnect(index, NULL);
	device_signals_release(&signals);
	return rc;
}

const struct command cmd_connect = {
	.name = "connect",
	.group = CLI_CONNECT,
	.summary = "connect to a server and print the device, such as nbd0",
	.operands = { 1, BACKEND_SERVERS, { "URI|HOST|/SOCKET" } },
	.options = options,
	.run = run,
};
