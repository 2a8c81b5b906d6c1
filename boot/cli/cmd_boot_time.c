/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot boot-time: how long each step of a boot took, as text or a chart. */
#include "boot/cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "boot/common/times.h"
#include "port/linux/file.h"

static const struct cli_option options[] = {
	{ "svg", 0, NULL, "draw a chart", .kind = CLI_FLAG },
	{ 0 },
};

/* The width of the bars, in characters and in px. */
#define COLUMNS 40
#define WIDTH	600

/* From the first start to the last end; at least 1 ms. */
struct span {
	int32_t first, all;
};

static struct span span_of(const struct times *t)
{
	int32_t first = t->step[0].start, last = t->step[0].end;
	unsigned i;

	for (i = 1; i < t->n; i++) {
		if (t->step[i].start < first)
			first = t->step[i].start;
		if (t->step[i].end > last)
			last = t->step[i].end;
	}
	return (struct span){ first, last > first ? last - first : 1 };
}

/* The position of a time on a scale of that width. */
static int place(const struct span *s, int32_t ms, int width)
{
	return (int)((int64_t)(ms - s->first) * width / s->all);
}

static void show_text(const struct times *t)
{
	const struct times_step *s;
	struct span all = span_of(t);
	int i, from;

	cli_putf("start ms  took ms\n");
	for (s = t->step; s < t->step + t->n; s++) {
		cli_putf("%8d %8d  %-20s ", s->start, s->end - s->start,
			 s->name);
		from = place(&all, s->start, COLUMNS);
		for (i = 0; i <= place(&all, s->end, COLUMNS); i++)
			nbd_put(&cli_out, i < from ? " " : "#", 1);
		nbd_put(&cli_out, "\n", 1);
	}
}

static void show_svg(const struct times *t)
{
	const struct times_step *s;
	struct span all = span_of(t);
	int y = 17, from, to;

	cli_putf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"850\" "
		 "height=\"%u\" style=\"font:12px sans-serif;"
		 "background:#fff\">\n",
		 t->n * 22 + 8);
	for (s = t->step; s < t->step + t->n; s++, y += 22) {
		from = 150 + place(&all, s->start, WIDTH);
		to = 151 + place(&all, s->end, WIDTH);
		cli_putf("<text x=\"142\" y=\"%d\" text-anchor=\"end\">%s"
			 "</text><path stroke=\"#47a\" stroke-width=\"16\" "
			 "d=\"M%d %dH%d\"/><text x=\"%d\" y=\"%d\">%d ms"
			 "</text>\n",
			 y, s->name, from, y - 4, to, to + 6, y,
			 s->end - s->start);
	}
	cli_putf("</svg>\n");
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
	const bool *svg = call->options;
	struct times t = { .n = 0 };
	int err;

	if (!call->words[0])
		call->subject = TIMES_FILE;
	err = read_file(&t, call->subject, &call->d);
	if (!err)
		(*svg ? show_svg : show_text)(&t);
	return err;
}

const struct command cmd_boot_time = {
	.name = "boot-time",
	.summary = "show how long each step of the boot took",
	.operands = { 0, 1, { "FILE" } },
	.options = options,
	.run = run,
};
