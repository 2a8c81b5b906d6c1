/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot-lwip: options, a stack, a disk, then a command. */
#include "boot/lwip/lwip.h"
#include "port/export_same.h"
#include "port/posix/open.h"
#include "port/posix/sock.h"

#include <signal.h>
#include <string.h>
#include <sys/random.h>

#define UP_MS	 30000 /* for an address */
#define CLOSE_MS 1000

volatile int lwip_stop;

static const struct command {
	const char *name;
	unsigned words; /* with its name */
	int (*run)(struct lwip_call *call);
} commands[] = {
	{ "info", 2, lwip_info },
	{ "copy", 3, lwip_copy },
	{ "check", 2, lwip_check },
};

static void on_signal(int sig)
{
	(void)sig;
	lwip_stop = 1;
}

static const struct command *find(const struct lwip_options *o)
{
	const size_t n = sizeof(commands) / sizeof(commands[0]);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(commands[i].name, o->words[0]) &&
		    commands[i].words == o->n_words)
			return &commands[i];
	return NULL;
}

static int fail(const struct lwip_options *o, int err, const struct nbd_diag *d)
{
	lwip_say(2, "nbdboot-lwip: %s: %s\n", o->words[1],
		 d->text[0] ? d->text : nbd_err_text(err));
	return 1;
}

/* The server may accept less at once than was asked for. */
static void limit_piece(struct lwip_call *call)
{
	uint32_t max = nbd_export_max(&call->disk.export) & ~511u;

	if (call->o.piece > max)
		call->o.piece = max;
}

static int run(struct lwip_call *call, const struct command *c)
{
	const struct lwip_options *o = &call->o;
	struct nbd_diag *d = &call->disk.d;
	int err = nbd_uri_parse(&call->uri, call->text, sizeof(call->text),
				o->words[1]);

	if (err)
		return nbd_diag(d, err, "%s", call->uri.wrong);
	call->disk_cfg = (struct nbd_disk_config){
		.uris = &call->uri,
		.n_uris = 1,
		.connections = o->connections,
		.block = 512,
		.longest = LWIP_PIECE,
		.net = call->net,
		.extra = NBD_BEST_REPLIES,
		.stop = &lwip_stop,
		.patience = o->patience * 1000,
		.silence = o->silence * 1000,
	};
	err = lwip_tls(o, &call->uri, &call->disk_cfg.tls, d);
	if (!err)
		err = nbd_disk_open(&call->disk, &call->disk_cfg);
	if (err)
		return err;
	limit_piece(call);
	err = c->run(call);
	nbd_disk_close(&call->disk);
	return err;
}

static void print_details(const struct lwnet *net)
{
	struct nbd_ip addr = lwnet_ip(net);

	lwip_say(2,
		 "%s; address %u.%u.%u.%u; frames: %llu received, %llu sent, "
		 "%llu acknowledgements held, %llu dropped\n",
		 lwnet_version, addr.ip[0], addr.ip[1], addr.ip[2], addr.ip[3],
		 (unsigned long long)net->count.received,
		 (unsigned long long)net->count.sent,
		 (unsigned long long)net->count.held,
		 (unsigned long long)net->count.dropped);
}

static int run_lwip(struct lwip_call *call, const struct command *c)
{
	struct lwnet *net = &call->lwip;
	struct nbd_diag *d = &call->disk.d;
	struct lwnet_config cfg = call->o.net;
	int err = lwip_tap_open(&call->tap, &call->o, d);

	if (err)
		return err;
	if (getrandom(cfg.seed, sizeof(cfg.seed), 0) < 0)
		return nbd_diag(d, NBD_E_IO, "no random bits");
	err = lwnet_open(net, &call->tap.e, &cfg);
	if (err)
		return nbd_diag(d, err, "MTU %u is too small", call->tap.e.mtu);
	call->net = &net->stack;
	err = lwnet_up(net, UP_MS, &lwip_stop, d);
	if (!err)
		err = run(call, c);
	if (call->o.verbose)
		print_details(net);
	lwnet_close(net, CLOSE_MS);
	return err;
}

int main(int argc, char *argv[])
{
	static struct lwip_call call;
	struct lwip_options *o = &call.o;
	const struct sigaction a = { .sa_handler = on_signal };
	const struct command *c;
	int err;

	(void)argc;
	open_standard();
	if (lwip_parse(o, argv))
		return 2;
	c = find(o);
	if (!c) {
		lwip_say(2, "nbdboot-lwip: \"%s\" with %u words?\n",
			 o->words[0], o->n_words);
		return 2;
	}
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	call.net = &sock_stack;
	err = o->sockets ? run(&call, c) : run_lwip(&call, c);
	return err ? fail(o, err, &call.disk.d) : 0;
}
