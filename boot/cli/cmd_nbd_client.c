/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbd-client: the program of this name, for scripts that call it.  Its exit
 * status is 0 or 1, and that of -c is 1 if the device is not connected and 2
 * after an error.
 */
#include "boot/cli/exports.h"
#include "boot/cli/nbd_client.h"
#include "boot/cli/behind.h"
#include "boot/system/harden.h"
#include "boot/words/version.h"
#include "boot/watch/watch.h"
#include "port/linux/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define NBDTAB	   "/etc/nbdtab"
#define NBDTAB_MAX 65536

/* ---- questions ---- */

static int check(const char *name, struct nbd_diag *d)
{
	struct nbdk_info info;
	int index = nbdk_parse_part(name, NULL);
	int err = index < 0 ? NBD_E_NO_DEVICE : nbdk_info(index, &info);

	if (err == NBD_E_NO_DEVICE || (!err && !info.connected))
		return CLI_FAILED;
	if (err) {
		cli_fail(name, err, d);
		return CLI_USAGE; /* nbd-client's for this, too */
	}
	cli_putf("%d\n", info.pid);
	return CLI_OK;
}

/* Like nbd-client it does not ask whether the device is in use. */
static int disconnect(const char *name, struct nbd_diag *d)
{
	struct nbdk_info info;
	int index = nbdk_parse_part(name, NULL), err;

	if (index < 0)
		return nbd_diag(d, NBD_E_USAGE, CLI_NO_DEVICE, name);
	err = nbdk_info(index, &info);
	if (err)
		return nbd_diag(d, err, "there is no nbd%d", index);
	return info.connected ? nbdk_disconnect(index, d) : CLI_OK;
}

static void print_export(const struct nbd_client *c, bool first)
{
	struct nbd_text name = nbd_name(c), text = nbd_text(c);

	(void)first;
	nbd_put_safe(&cli_out, name.p, name.len);
	if (text.len) {
		cli_putf(": ");
		nbd_put_safe(&cli_out, text.p, text.len);
	}
	cli_putf("\n");
}

static int list(const struct cli_nbd_client *client, const struct nbd_uri *uri,
		struct nbd_diag *d)
{
	unsigned n = 0;

	cli_putf("Negotiation: ..\n");
	return cli_exports(uri, &client->to.server.files, print_export, &n, d);
}

/* ---- connect ---- */

/* Ends a device that is not as large as -B demands. */
static int check_size(const char *want, const struct nbdk_info *info,
		      struct nbd_diag *d)
{
	char size[24];

	nbd_fmt(size, sizeof(size), "%llu", (unsigned long long)info->size);
	if (!want || !strcmp(want, size))
		return 0;
	nbdk_disconnect(info->index, NULL);
	return nbd_diag(d, NBD_E_USAGE, "the export has %s bytes, not %s", size,
			want);
}

static void say_ignored(const struct cli_nbd_client *client)
{
	struct nbd_diag d;

	if (!client->identifier && !client->priority)
		return;
	nbd_diag(&d, NBD_E_NOT_FOUND, "%s",
		 client->identifier
			 ? "the identifier in sysfs is the server's URI"
			 : "nbdboot chooses the TLS that this kernel supports");
	cli_fail(client->identifier ? "-identifier has no effect"
				    : "-priority has no effect",
		 NBD_E_NOT_FOUND, &d);
}

static int attach(struct cli_nbd_client *client, struct cli_call *call)
{
	struct nbdk_info info;
	int index = device_attach(&client->to.at, NULL, &call->d);
	int err = index < 0 ? index : nbdk_info(index, &info);

	if (!err)
		cli_warn(call->subject, &call->d);
	if (!err)
		err = check_size(client->size, &info, &call->d);
	if (err)
		return err;
	/* first: standard output may be full, or end this process */
	if (client->persist && !client->foreground)
		err = cli_watch_behind(cli_watch(0), index,
				       client->mark ? call->program : NULL,
				       &call->d);
	cli_putf("Negotiation: ..size = %lluMB\nConnected /dev/nbd%d\n",
		 (unsigned long long)(info.size >> 20), index);
	if (!client->persist || !client->foreground)
		return err;
	cli_out.flush(&cli_out);
	if (client->mark)
		cli_watch_mark(call->program);
	return watch_devices(cli_watch(0), &index, 1);
}

static void set_uri(struct cli_nbd_client *client, struct nbd_uri *uri)
{
	if (client->is_unix && !uri->is_unix) {
		uri->is_unix = true;
		uri->socket = uri->host;
		uri->socket_len = strlen(uri->host);
		uri->host = "";
	}
	if (client->tls)
		uri->tls = true;
	if (client->tls_hostname)
		uri->tls_hostname = client->tls_hostname;
}

/* Connects, or lists what could be connected. */
static int reach(struct cli_nbd_client *client, struct cli_call *call)
{
	struct cli_target t;
	struct backend *b = &client->to.at.b;
	int err = cli_nbd_client_check(client, &call->d);

	call->subject = client->host;
	if (!err)
		err = cli_target(&t, client->host, &client->to.server,
				 &call->d);
	if (err)
		return err;
	set_uri(client, &t.uri);
	if (client->list)
		return list(client, &t.uri, &call->d);
	say_ignored(client);
	b->files = client->to.server.files;
	b->uris[0] = t.uri;
	b->servers = 1;
	return attach(client, call);
}

static int dial_from_table(struct cli_nbd_client *client, struct cli_call *call)
{
	char text[NBDTAB_MAX];
	int err = file_read(AT_FDCWD, NBDTAB, text, sizeof(text));

	if (err < 0)
		return nbd_diag(&call->d, err, "%s: %s", NBDTAB,
				strerror(errno));
	if (err == NBDTAB_MAX - 1)
		return nbd_diag(&call->d, NBD_E_NO_MEMORY,
				"%s is longer than %d bytes", NBDTAB,
				NBDTAB_MAX - 2);
	client->to.at.index = nbdk_parse_name(client->host);
	err = cli_nbdtab_find(client, text, &call->d);
	return err ? nbd_diag_prefix(&call->d, err, "%s", NBDTAB)
		   : reach(client, call);
}

static int version(void)
{
	cli_putf("This is nbd-client, from nbdboot %s\n", boot_version);
	return CLI_OK;
}

static int act(struct cli_nbd_client *client, int verb, struct cli_call *call)
{
	switch (verb) {
	case CLI_NBD_CONNECT:
	case CLI_NBD_LIST:
		return reach(client, call);
	case CLI_NBD_TABLE:
		return dial_from_table(client, call);
	case CLI_NBD_DISCONNECT:
		call->subject = client->disconnect;
		return disconnect(client->disconnect, &call->d);
	case CLI_NBD_CHECK:
		return check(client->check, &call->d);
	case CLI_NBD_VERSION:
		return version();
	case CLI_NBD_HELP:
		cli_explain(cli_find("nbd-client"));
		return CLI_OK;
	default:
		return verb;
	}
}

static int run(struct cli_call *call)
{
	struct cli_nbd_client *client = call->options;
	int rc;

	boot_small_pages();
	call->subject = "nbd-client";
	rc = cli_nbd_client_parse(client, call->words, &call->d);
	rc = act(client, rc, call);
	/* the parser of options has printed a message already */
	if (rc < 0 && (rc != NBD_E_USAGE || call->d.text[0]))
		cli_fail(call->subject, rc, &call->d);
	return rc < 0 ? CLI_FAILED : rc;
}

const struct command cmd_nbd_client = {
	.name = "nbd-client",
	.group = CLI_CLIENT,
	.summary = "the command line of nbd-client(8), for its scripts",
	.help = "\tnbd-client -N NAME HOST [PORT] [nbdN]   connect\n"
		"\tnbd-client -N NAME -u PATH [nbdN]       connect\n"
		"\tnbd-client nbdN                         as /etc/nbdtab says\n"
		"\tnbd-client -l HOST [PORT]               list\n"
		"\tnbd-client -c nbdN                      check (1: it is not, 2: failed)\n"
		"\tnbd-client -d nbdN                      disconnect\n",
	.operands = { 0, 3, { "HOST|PATH|URI|nbdN", "PORT", "nbdN" } },
	.options = cli_nbd_client_options,
	.raw = true,
	.run = run,
};
