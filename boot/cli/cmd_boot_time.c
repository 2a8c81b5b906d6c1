/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot boot-time: how long each step of a boot took, as text or a chart. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "boot/cli/chart.h"
#include "boot/prefetch/seen.h"
#include "port/linux/file.h"

struct boot_time {
	bool svg, slowest;
	const char *compare;
};

static const struct cli_option options[] = {
	{ "svg", 0, NULL, "draw a chart", CLI_FIELD(struct boot_time, svg) },
	{ "slowest", 's', NULL, "sort by duration, the slowest step first",
	  CLI_FIELD(struct boot_time, slowest) },
	{ "compare", 0, "BEFORE", "the times of another boot beside these",
	  CLI_FIELD(struct boot_time, compare) },
	{ 0 },
};

/* The width of the bars, in characters. */
#define COLUMNS 40

static int32_t length(const struct times_step *s)
{
	return s->end - s->start;
}

/* Stable, so that steps of one length stay in their order. */
static void sort(struct times *t)
{
	for (unsigned i = 1; i < t->n; i++) {
		const struct times_step s = t->step[i];
		unsigned k = i;

		for (; k && length(&t->step[k - 1]) < length(&s); k--)
			t->step[k] = t->step[k - 1];
		t->step[k] = s;
	}
}

/* The position of a time on a scale of COLUMNS. */
static int place(const struct cli_span *s, int32_t ms)
{
	return (int)((int64_t)(ms - s->first) * COLUMNS / s->all);
}

static void put_bar(const struct times_step *s, const struct cli_span *all)
{
	int from = place(all, s->start), to = place(all, s->end);

	for (int i = 0; i <= to; i++)
		nbd_put(&cli_out, i < from ? " " : "#", 1);
}

/* The step of the other boot, and the difference. */
static void put_other(const struct times_step *s, const struct times *other)
{
	const struct times_step *o = cli_same_step(other, s->name);

	if (o)
		cli_putf("%8d %8d", length(o), length(s) - length(o));
	else
		cli_putf("%8s %8s", "-", "");
}

static void show_text(const struct times *t, const struct times *other)
{
	struct cli_span all = cli_span(t);

	cli_putf("start ms  took ms%s\n", other ? "  before   change" : "");
	for (const struct times_step *s = t->step; s < t->step + t->n; s++) {
		cli_putf("%8d %8d", s->start, length(s));
		if (other)
			put_other(s, other);
		cli_putf("  %-20s ", s->name);
		put_bar(s, &all);
		nbd_put(&cli_out, "\n", 1);
	}
	cli_putf("   total %8d", all.all);
	if (other)
		cli_putf("%8d %8d", cli_span(other).all,
			 all.all - cli_span(other).all);
	nbd_put(&cli_out, "\n", 1);
}

/* Of this boot only. */
static void show_prefetch(void)
{
	struct prefetch_seen s;

	if (!prefetch_seen_read(&s))
		return;
	cli_putf("prefetch: ");
	prefetch_seen_print(&s, &cli_out);
	cli_putf("\n");
}

static int read_file(struct times *t, const char *path, struct nbd_diag *d)
{
	char text[8192];
	int n = file_read(AT_FDCWD, path, text, sizeof(text));

	if (n < 0)
		return nbd_diag(d, NBD_E_IO, "%s", strerror(errno));
	return boot_times_parse(t, text, (size_t)n, d);
}

static int run(struct cli_call *call)
{
	const struct boot_time *o = call->options;
	struct times t = { .n = 0 }, before = { .n = 0 };
	const char *path = call->words[0] ? call->words[0] : TIMES_FILE;
	int err;

	call->subject = path;
	err = read_file(&t, path, &call->d);
	if (!err && o->compare) {
		call->subject = o->compare;
		err = read_file(&before, o->compare, &call->d);
	}
	if (err)
		return err;
	if (o->slowest)
		sort(&t);
	(o->svg ? cli_chart : show_text)(&t, o->compare ? &before : NULL);
	if (!o->svg && !call->words[0])
		show_prefetch();
	return CLI_OK;
}

const struct command cmd_boot_time = {
	.name = "boot-time",
	.group = CLI_BOOT,
	.summary = "show how long each step of the boot took",
	.operands = { 0, 1, { "FILE" } },
	.options = options,
	.run = run,
};
