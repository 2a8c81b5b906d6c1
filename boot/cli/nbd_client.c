/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of nbd-client: options, operands, and what they lead to. */
#include "boot/cli/nbd_client.h"
#include "boot/cli/args.h"
#include "port/linux/nbdk.h"

#include <string.h>

#define FIELD(field) CLI_FIELD(struct cli_nbd_client, field)

const struct cli_option cli_nbd_client_options[] = {
	{ "name", 'N', "NAME", "the export's name (the default export)",
	  FIELD(to.server.name) },
	{ "unix", 'u', NULL, "HOST is the path of a UNIX socket",
	  FIELD(is_unix) },
	{ "connections", 'C', "N", "connections to make",
	  FIELD(to.at.b.connections), .min = 1,
	  .max = CONFIG_PORT_MAX_CONNECTIONS, .preset = 1 },
	{ "block-size", 'b', "BYTES",
	  "the device's block size (the export's minimum, at least 512)",
	  FIELD(to.at.block_size), .min = 512, .max = 4096 },
	{ "readonly", 'R', NULL, "make the device read-only",
	  FIELD(to.at.read_only) },
	{ "persist", 'p', NULL, "let I/O wait in an outage, and connect again",
	  FIELD(persist) },
	{ "dead-timeout", 'T', "SECONDS",
	  "how long I/O waits in an outage (0, with -p years)",
	  FIELD(to.at.b.dead_timeout), .max = INT32_MAX,
	  .preset = ATTACH_DEFAULT },
	{ "timeout", 't', "SECONDS",
	  "time until a request is repeated on another connection (30)",
	  FIELD(to.at.io_timeout), .max = INT32_MAX, .preset = ATTACH_DEFAULT },
	{ "swap", 's', NULL, "for swap space: keep memory free for connections",
	  FIELD(to.at.b.swap) },
	{ "systemd-mark", 'm', NULL,
	  "protect the process of -p from systemd, as one of the initramfs",
	  FIELD(mark) },
	{ "nofork", 'n', NULL, "with -p: stay in the foreground",
	  FIELD(foreground) },
	{ "size", 'B', "BYTES", "fail if the export has another size",
	  FIELD(size) },
	{ "enable-tls", 'x', NULL, "use TLS", FIELD(tls) },
	{ "cacertfile", 'A', "FILE",
	  "certificates of the CAs to trust (the system's)",
	  FIELD(to.server.files.ca) },
	{ "certfile", 'F', "FILE",
	  "our own certificate, if the server wants one (that of -K)",
	  FIELD(to.server.files.cert) },
	{ "keyfile", 'K', "FILE", "the private key of that certificate",
	  FIELD(to.server.files.key) },
	{ "tlshostname", 'H', "NAME", "the name that is checked (HOST)",
	  FIELD(tls_hostname) },
	{ "check", 'c', "nbdN", "is it connected?", FIELD(check) },
	{ "disconnect", 'd', "nbdN", "disconnect it", FIELD(disconnect) },
	{ "list", 'l', NULL, "list the server's exports", FIELD(list) },
	{ "help", 'h', NULL, "print this", FIELD(help) },
	{ "version", 'V', NULL, "print the version", FIELD(version) },
	{ "identifier", 'i', "TEXT", "no effect", FIELD(identifier) },
	{ "nonetlink", 'L', NULL,
	  "connect by ioctls, which other programs then can call, too",
	  FIELD(ioctl) },
	{ "no-optgo", 'g', NULL,
	  "choose the export by NBD_OPT_EXPORT_NAME, with no other option",
	  FIELD(to.at.b.no_go) },
	{ "priority", 'y', "TEXT", "no effect", FIELD(priority) },
	{ "preinit", 'P', NULL, "refused", FIELD(preinit) },
	{ "sdp", 'S', NULL, "refused", FIELD(sdp) },
	{ 0 },
};

/* Messages name the command. */
static const struct command named = {
	.name = "nbd-client",
	.options = cli_nbd_client_options,
};

static int take_device(struct cli_nbd_client *client, const char *word,
		       struct nbd_diag *d)
{
	client->to.at.index = nbdk_parse_name(word);
	return client->to.at.index < 0
		       ? nbd_diag(d, NBD_E_USAGE, CLI_NO_DEVICE, word)
		       : 0;
}

/* The second word is a port if it begins with a digit other than 0. */
static int take_port(struct cli_nbd_client *client, const char *word,
		     struct nbd_diag *d)
{
	long port = nbd_number(word, 1, 65535);

	client->to.server.port = (unsigned)port;
	return port < 0 ? nbd_diag(d, NBD_E_USAGE,
				   "%s is not a port from 1 to 65535", word)
			: 0;
}

/* "bs=512" and "timeout=3" are from before there were options. */
static int take_old(struct cli_nbd_client *client, const char *word,
		    struct nbd_diag *d)
{
	if (strncmp(word, "bs=", 3) != 0 && strncmp(word, "timeout=", 8) != 0)
		return nbd_diag(d, NBD_E_USAGE, "unknown option %s", word);
	return cli_nbdtab_option(client, word);
}

static int take_operands(struct cli_nbd_client *client, char *words[],
			 struct nbd_diag *d)
{
	enum { HOST, PORT, DEVICE, END } next = HOST;
	int err = 0;

	for (; *words && !err; words++) {
		const char *w = *words;

		if (strchr(w, '=') && !nbd_is_uri(w)) {
			err = take_old(client, w, d);
		} else if (next == HOST) {
			client->host = w;
			next = PORT;
		} else if (next == PORT && w[0] >= '1' && w[0] <= '9') {
			err = take_port(client, w, d);
			next = DEVICE;
		} else if (next != END) {
			err = take_device(client, w, d);
			next = END;
		} else {
			err = nbd_diag(d, NBD_E_USAGE, "extra operand \"%s\"",
				       w);
		}
	}
	return err;
}

int cli_nbd_client_check(struct cli_nbd_client *client, struct nbd_diag *d)
{
	struct tls_files *f = &client->to.server.files;
	struct attach *at = &client->to.at;
	const char *name = client->tls_hostname ? client->tls_hostname : "";
	const char *why = *name ? nbd_host_wrong(name) : NULL;

	if (client->sdp)
		return nbd_diag(d, NBD_E_USAGE,
				"-sdp: Linux has no Sockets Direct Protocol");
	if (client->preinit)
		return nbd_diag(d, NBD_E_USAGE,
				"-preinit: without a negotiation the export "
				"cannot be checked, nor connected again");
	if (why)
		return nbd_diag(d, NBD_E_USAGE, "-tlshostname %s: %s", name,
				why);
	/* one file may hold both */
	if (f->key && !f->cert)
		f->cert = f->key;
	/* also of a URI that begins with nbd:// */
	client->tls |= client->tls_hostname || f->ca || f->cert;
	if (at->io_timeout == 0)
		at->io_timeout = ATTACH_DEFAULT;
	/* without -p no process ends an outage: I/O must not wait for one */
	if (!client->persist && at->b.dead_timeout < 0)
		at->b.dead_timeout = 0;
	/* only netlink can connect a device again */
	if (client->ioctl && !client->persist)
		at->connect = nbdk_connect_ioctl;
	/* with -p an export that is read-only must stay the same disk */
	at->identity = at->read_only && client->persist;
	return 0;
}

static int choose_verb(const struct cli_nbd_client *client, struct nbd_diag *d)
{
	if (client->help)
		return CLI_NBD_HELP;
	if (client->version)
		return CLI_NBD_VERSION;
	if (client->check)
		return CLI_NBD_CHECK;
	if (client->disconnect)
		return CLI_NBD_DISCONNECT;
	if (!client->host)
		return nbd_diag(d, NBD_E_USAGE, "missing HOST or nbdN");
	if (client->list)
		return CLI_NBD_LIST;
	return client->to.at.index < 0 && nbdk_parse_name(client->host) >= 0
		       ? CLI_NBD_TABLE
		       : CLI_NBD_CONNECT;
}

int cli_nbd_client_parse(struct cli_nbd_client *client, char *argv[],
			 struct nbd_diag *d)
{
	char **words = cli_parse_long(&named, argv, client);
	int err;

	client->to.at.index = -1;
	if (!words)
		return NBD_E_USAGE;
	err = take_operands(client, words, d);
	return err ? err : choose_verb(client, d);
}
