/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot copy: copies a disk image. */
#include "boot/cli/cli.h"
#include "boot/cli/copy_tree.h"
#include "boot/copy/copy.h"
#include "port/latency.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* The exit status if some of the source could not be read. */
#define UNREADABLE 3

static const struct cli_option options[] = {
	{ "connections", 'c', "N",
	  "connections to each server (4 if it allows several)",
	  CLI_FIELD(struct copy_options, connections), .min = 1,
	  .max = CONFIG_PORT_MAX_CONNECTIONS },
	{ "requests", 'q', "N", "pieces in flight (8)",
	  CLI_FIELD(struct copy_options, depth), .min = 1, .max = COPY_DEPTH },
	{ "patience", 0, "SECONDS", "wait for a server that is away",
	  CLI_FIELD(struct copy_options, patience), .max = 86400,
	  .preset = COPY_PATIENCE },
	{ "offset", 0, "BYTES", "copy from here on, to the start of DST",
	  CLI_FIELD(struct copy_options, offset) },
	{ "length", 0, "BYTES", "copy so much, such as 4096 or 64M",
	  CLI_FIELD(struct copy_options, length) },
	{ "rate", 0, "BYTES", "read at most so much a second",
	  CLI_FIELD(struct copy_options, rate) },
	{ "destination-is-zero", 0, NULL, "DST is all zeroes: write none",
	  CLI_FIELD(struct copy_options, destination_is_zero) },
	{ "progress", 0, NULL, "report progress, also into a file",
	  CLI_FIELD(struct copy_options, progress) },
	{ "resume", 0, NULL, "go on with an interrupted copy",
	  CLI_FIELD(struct copy_options, resume) },
	{ "verify", 0, NULL, "read both back and compare",
	  CLI_FIELD(struct copy_options, verify) },
	{ "latency", 0, NULL, "print how long requests took",
	  CLI_FIELD(struct copy_options, print_latency) },
	{ "simple", 'S', NULL, "ask for simple replies",
	  CLI_FIELD(struct copy_options, simple) },
	{ .more = cli_tree_options },
};

static int take_bytes(const char *name, const char *text, uint64_t least,
		      uint64_t *bytes)
{
	return !text || (copy_bytes(text, bytes) && *bytes >= least)
		       ? CLI_OK
		       : cli_usage("copy",
				   "--%s: %s is not a number of bytes, such as "
				   "4096 or 64M",
				   name, text);
}

/* To standard error: standard output may be the destination. */
static void print_latency(const struct nbd_latency *l)
{
	char buf[1024];
	struct nbd_out o = { .buf = buf,
			     .cap = sizeof(buf),
			     .flush = cli_flush_error };

	nbd_latency_print(l, &o);
	o.flush(&o);
}

/* By whatever name: -, /dev/stdout, or that of the same file. */
static bool is_standard_output(const struct side *s)
{
	struct stat a, b;

	return !fstat(s->fd, &a) && !fstat(1, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* As sha256sum(1) does; to standard error if the copy went to the other one. */
static void print_hash(struct copy *c)
{
	char buf[PATH_MAX + COPY_HASH_TEXT], text[COPY_HASH_TEXT];
	struct nbd_out o = cli_out;

	copy_hash_print(c, text);
	o.buf = buf;
	o.cap = sizeof(buf);
	if (is_standard_output(c->dst))
		o.fd = 2;
	nbd_putf(&o, "%s  %s\n", text, c->dst->name);
	o.flush(&o);
}

/* Some expect of --delta that it saves these, too. */
static void warn_of_reads(struct copy *c, const struct copy_options *o)
{
	const struct side *far = c->src->link ? c->src : c->dst;

	if (!o->delta || c->tree || !far->link)
		return;
	nbd_diag(c->d, 0,
		 "--delta without a hash tree saves writes: all of %s is read",
		 far->name);
	cli_warn("copy", c->d);
}

static int copy(struct cli_call *call, const struct copy_options *o,
		uint64_t offset, uint64_t length)
{
	struct side src, dst, tree;
	struct nbd_diag *d = &call->d;
	struct copy c = { .src = &src, .dst = &dst, .d = d };
	uint64_t done = 0, missing;
	unsigned areas;
	int err;

	err = cli_copy_open(&src, call->words[0], CLI_COPY_SRC, o, d);
	if (err)
		goto out;
	err = o->offset || o->length ? copy_side_range(&src, offset, length, d)
				     : cli_copy_part(&src, o, d);
	if (err)
		goto close_src;
	call->subject = call->words[1];
	err = cli_copy_open(&dst, call->words[1], CLI_COPY_DST, o, d);
	if (err)
		goto close_src;
	err = cli_copy_part(&dst, o, d);
	if (err)
		goto close_dst;
	call->subject = "copy";
	err = cli_copy_tree(&c, &tree, call->words[0], o);
	if (err)
		goto close_dst;
	warn_of_reads(&c, o);
	err = copy_run(&c, o, &done);
	if (c.tree)
		tree.ops->close(&tree);
	if (!err && o->hash)
		print_hash(&c);
	missing = copy_unreadable(&c, &areas);
	if (!err && missing) {
		nbd_diag(d, 0, "%llu bytes in %u areas of %s could not be read",
			 (unsigned long long)missing, areas, src.name);
		cli_warn("copy", d);
		err = UNREADABLE;
	}
close_dst:
	dst.ops->close(&dst);
	if (o->print_latency)
		print_latency(o->latency);
close_src:
	src.ops->close(&src);
out:
	return err;
}

static void say(const struct nbd_diag *d)
{
	cli_warn("copy", d);
}

/* Options that contradict each other; CLI_OK, or after a message CLI_USAGE. */
static int check(const struct copy_options *o, const char *dst)
{
	bool has_tree = o->delta && o->delta[0];

	if (o->hash && strcmp(o->hash, "sha256") != 0)
		return cli_usage("copy", "--hash: %s is not sha256", o->hash);
	if (o->part && (o->offset || o->length))
		return cli_usage("copy",
				 "--part excludes --offset and --length");
	if (o->root_hash && !has_tree)
		return cli_usage("copy", "--root-hash needs --delta=TREE");
	if (has_tree && (o->map || o->skip_bad))
		return cli_usage("copy",
				 "--delta=%s excludes --map and --skip-bad",
				 o->delta);
	if (o->resume && !o->map && (nbd_is_uri(dst) || dst[0] == '-'))
		return cli_usage("copy", "--resume: %s is not a file", dst);
	if (o->resume && !o->map && (o->skip_bad || o->to_part))
		return cli_usage("copy", "--resume with %s needs a map",
				 o->skip_bad ? "--skip-bad" : "--to-part");
	return CLI_OK;
}

static int run(struct cli_call *call)
{
	struct copy_options *o = call->options;
	struct nbd_latency latency = { 0 };
	uint64_t offset = 0, length = 0;
	int status = take_bytes("offset", o->offset, 0, &offset);

	o->latency = &latency;
	o->say = say;
	if (o->skip_bad && o->skip_bad[0] && !o->map)
		o->map = o->skip_bad;
	if (!status)
		status = check(o, call->words[1]);
	if (!status)
		status = take_bytes("length", o->length, 1, &length);
	if (!status)
		status = take_bytes("rate", o->rate, 1, &o->per_second);
	if (status)
		return status;
	copy_catch_signals();
	return copy(call, o, offset, length);
}

const struct command cmd_copy = {
	.name = "copy",
	.group = CLI_COPY,
	.summary = "copy a disk image",
	.help = "SRC and DST are URIs, files, block devices or - (a pipe).  A "
		"file is named\nDST.nbdboot-part until it is complete; "
		"--resume goes on with that.\n"
		"Exit status 3: done, but for what --skip-bad cannot "
		"read.\n",
	.operands = { 2, 2, { "SRC", "DST" } },
	.options = options,
	.run = run,
};
