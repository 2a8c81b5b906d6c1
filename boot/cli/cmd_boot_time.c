/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot boot-time: where the time of a boot went, in words or as a chart. */
#include "boot/cli/cli.h"

#include <fcntl.h>
#include <string.h>

#include "boot/common/times.h"
#include "port/linux/dir.h"

/* ---- showing ---- */

/* What is shown is this wide, in characters and in px. */
#define COLUMNS 40
#define WIDTH	600

/* The whole of it, at least 1 ms. */
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

/* Where that time is, if the whole of it is so wide. */
static int place(const struct span *s, int32_t ms, int width)
{
	return (int)((int64_t)(ms - s->first) * width / s->all);
}

static void show_text(const struct times *t)
{
	const struct times_step *s;
	struct span all = span_of(t);
	int i, from;

	nbd_putf(&cli_out, "start ms  took ms\n");
	for (s = t->step; s < t->step + t->n; s++) {
		nbd_putf(&cli_out, "%8d %8d  %-20s ", s->start,
			 s->end - s->start, s->name);
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

	nbd_putf(&cli_out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"850\" "
		 "height=\"%u\" style=\"font:12px sans-serif;"
		 "background:#fff\">\n",
		 t->n * 22 + 8);
	for (s = t->step; s < t->step + t->n; s++, y += 22) {
		from = 150 + place(&all, s->start, WIDTH);
		to = 151 + place(&all, s->end, WIDTH);
		nbd_putf(&cli_out,
			 "<text x=\"142\" y=\"%d\" text-anchor=\"end\">%s"
			 "</text><path stroke=\"#47a\" stroke-width=\"16\" "
			 "d=\"M%d %dH%d\"/><text x=\"%d\" y=\"%d\">%d ms"
			 "</text>\n",
			 y, s->name, from, y - 4, to, to + 6, y,
			 s->end - s->start);
	}
	nbd_putf(&cli_out, "</svg>\n");
}

static int read_file(struct times *t, const char *path, struct nbd_diag *d)
{
	static char text[8192];
	int n = dir_read(AT_FDCWD, path, text, sizeof(text));

	if (n < 0)
		return nbd_diag(d, NBD_E_IO, "%s", strerror(-n));
	return boot_times_parse(t, text, (size_t)n, d);
}

int cmd_boot_time(int argc, char *argv[])
{
	static const struct cli_option options[] = { { 's', false, "svg" },
						     { 0 } };
	struct cli_args a = { argc, argv, 1, NULL, NULL };
	struct nbd_diag d = { "" };
	static struct times t;
	const char *path = TIMES_FILE;
	bool svg = false;
	int o, err;

	while ((o = cli_next(&a, options)) > 0)
		svg = true;
	if (o < 0 || !cli_operands(&a, 0, 1))
		return CLI_USAGE;
	if (a.i < argc)
		path = argv[a.i];
	err = read_file(&t, path, &d);
	if (err)
		return cli_fail(path, err, &d);
	(svg ? show_svg : show_text)(&t);
	return cli_flush();
}
