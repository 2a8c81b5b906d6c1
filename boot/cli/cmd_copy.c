/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot copy: a disk image from here to there. */
#include "boot/cli/cli.h"
#include "boot/copy/copy.h"
#include "port/latency.h"

static int take_option(struct copy_options *o, int option,
		       const struct cli_args *a)
{
	long v = 0;

	switch (option) {
	case 'c':
		v = cli_number(a, 1, CONFIG_PORT_MAX_CONNECTIONS);
		o->connections = (unsigned)v;
		break;
	case 'q':
		v = cli_number(a, 1, COPY_DEPTH);
		o->depth = (unsigned)v;
		break;
	case 'A':
	case 'C':
	case 'K':
		cli_tls_file(&o->files, option, a->value);
		break;
	case 'S':
		o->simple = true;
		break;
	case 'z':
		o->destination_is_zero = true;
		break;
	case 'p':
		o->progress = true;
		break;
	case 'v':
		o->verify = true;
		break;
	default:
		o->print_latency = true;
	}
	return v < 0 ? -1 : 0;
}

/* tls_taken: the other side has it, and there is one TLS in a process. */
static int open_side(struct side *s, const char *word, bool tls_taken,
		     bool output, const struct copy_options *o,
		     struct nbd_diag *d)
{
	/* with their strings and buffers: too large for a stack */
	static struct cli_target target[2];
	static struct copy_link links[2];
	struct cli_target *t = &target[output];
	int err;

	if (!nbd_is_uri(word))
		return copy_side_open_file(s, word, output, d);
	err = cli_target(t, word, NULL, NULL, d);
	if (err)
		return err;
	if (t->uri.tls && tls_taken)
		return nbd_diag(d, NBD_E_USAGE,
				"one side at a time can have TLS");
	*s = (struct side){
		.name = word, .output = output, .fd = -1, .tls = t->uri.tls
	};
	return copy_side_open_nbd(s, &links[output], &t->uri, o, d);
}

/* To standard error: standard output may be what was copied to. */
static void print_latency(const struct nbd_latency *l)
{
	char buf[1024];
	struct nbd_out o = cli_out;

	o.buf = buf;
	o.cap = sizeof(buf);
	o.fd = 2;
	nbd_latency_print(l, &o);
	o.flush(&o);
}

static int copy(const char *from, const char *to, const struct copy_options *o)
{
	struct side src, dst;
	struct nbd_diag d = { "" };
	struct copy c = { .src = &src, .dst = &dst, .d = &d };
	const char *subject = from;
	uint64_t done = 0;
	int err;

	err = open_side(&src, from, false, false, o, &d);
	if (err)
		goto out;
	subject = to;
	err = open_side(&dst, to, src.tls, true, o, &d);
	if (err)
		goto close_src;
	subject = "copy";
	err = copy_run(&c, o, &done);
	if (err == NBD_E_CUT && copy_interrupted)
		nbd_diag(&d, err,
			 "interrupted: the first %llu bytes are copied",
			 (unsigned long long)done);
	dst.ops->close(&dst);
	if (o->print_latency)
		print_latency(o->latency);
close_src:
	src.ops->close(&src);
out:
	device_tls_close();
	return err ? cli_fail(subject, err, &d) : CLI_OK;
}

int cmd_copy(int argc, char *argv[])
{
	static const struct cli_option options[] = {
		{ 'c', true, "connections" },
		{ 'q', true, "requests" },
		{ 'S', false, "simple" },
		{ 'z', false, "destination-is-zero" },
		{ 'p', false, "progress" },
		{ 'v', false, "verify" },
		{ 'l', false, "latency" },
		CLI_TLS_OPTIONS{ 0 },
	};
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	static struct nbd_latency latency;
	struct copy_options o = { .latency = &latency };
	int opt;

	while ((opt = cli_next(&a, options)) > 0)
		if (take_option(&o, opt, &a) < 0)
			return CLI_USAGE;
	if (opt < 0 || !cli_operands(&a, 2, 2))
		return CLI_USAGE;
	if (o.verify && (argv[a.i][0] == '-' || argv[a.i + 1][0] == '-'))
		return cli_usage(argv[0], "a pipe cannot be read back to "
					  "--verify it");
	copy_catch_signals();
	return copy(argv[a.i], argv[a.i + 1], &o);
}
