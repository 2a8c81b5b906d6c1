/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chart of a boot: a row for each step, on an axis of seconds.
 *
 *	title
 *	root, kernel, date
 *	   name |  ####### 412 ms
 *	   name |         ### 180 ms
 *	        0 s     1 s     2 s
 *	legend
 *
 * It is made for a width of 600 px and grows with its window.
 */
#include "boot/cli/chart.h"

#include <stdlib.h>
#include <string.h>

#define LEFT  112 /* of the bars; the names are beside them */
#define WIDTH 424
#define TOP   58
#define ROW   18

enum phase { FIRMWARE, KERNEL, DRIVERS, NETWORK, STORAGE, OURS, PHASES };

static const struct {
	const char *name, *color;
} phases[PHASES] = {
	[FIRMWARE] = { "firmware", "#8d99ae" },
	[KERNEL] = { "kernel", "#4c78a8" },
	[DRIVERS] = { "drivers", "#72a34f" },
	[NETWORK] = { "network", "#e8a33d" },
	[STORAGE] = { "storage", "#b4565b" },
	[OURS] = { "nbdboot", "#7b6ba8" },
};

/* The steps by the first word of their names, and what they wait for. */
static const struct kind {
	const char *word;
	enum phase phase;
	const char *wait;
	bool within; /* or beside another step: drawn thinner */
} kinds[] = {
	{ "firmware", FIRMWARE, "the firmware and the boot loader", false },
	{ "kernel", KERNEL, "the kernel to start", false },
	{ "drivers", DRIVERS, "devices and their modules", false },
	{ "preload", DRIVERS, "modules, beside the other steps", true },
	{ "modules", DRIVERS, "the modules that are loaded beside", false },
	{ "network", NETWORK, "an address that reaches the server", false },
	{ "link", NETWORK, "the carrier of the interface", true },
	{ "lease", NETWORK, "the address of the interface", true },
	{ "connect", STORAGE, "the server", false },
	{ "TLS", STORAGE, "the handshake of TLS", true },
	{ "partition", STORAGE, "the first reads of the disk", false },
	{ "mount", STORAGE, "the file system and its journal", false },
	{ "overlay", STORAGE, "the layer above the root", false },
	{ "", OURS, "nbdboot itself", false },
};

static const struct kind *kind_of(const char *name)
{
	const struct kind *k = kinds;
	size_t n = strcspn(name, " ");

	while (*k->word &&
	       (strlen(k->word) != n || memcmp(k->word, name, n) != 0))
		k++;
	return k;
}

struct cli_span cli_span(const struct times *t)
{
	int32_t first = t->step[0].start, last = t->step[0].end;

	for (unsigned i = 1; i < t->n; i++) {
		if (t->step[i].start < first)
			first = t->step[i].start;
		if (t->step[i].end > last)
			last = t->step[i].end;
	}
	return (struct cli_span){ first, last > first ? last - first : 1 };
}

/* The position of a time in px. */
static int place(const struct cli_span *s, int32_t ms)
{
	return LEFT + (int)((int64_t)(ms - s->first) * WIDTH / s->all);
}

static void put_head(const struct times *t, const struct times *other, int end)
{
	cli_putf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" "
		 "\"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		 "viewBox=\"0 0 600 %d\" font-family=\"sans-serif\" "
		 "font-size=\"11\" fill=\"#222\">\n",
		 end);
	cli_putf("<title>Boot of %s</title>\n<rect width=\"600\" "
		 "height=\"%d\" fill=\"#fff\"/>\n",
		 t->host[0] ? t->host : "a machine", end);
	cli_putf("<text x=\"12\" y=\"22\" font-size=\"16\" "
		 "font-weight=\"bold\">%s booted in " CLI_SECONDS,
		 t->host[0] ? t->host : "The machine",
		 CLI_AS_SECONDS(cli_span(t).all));
	if (other)
		cli_putf(", before in " CLI_SECONDS,
			 CLI_AS_SECONDS(cli_span(other).all));
	cli_putf("</text>\n<text x=\"12\" y=\"40\" fill=\"#555\">%s%s%s%s%s"
		 "</text>\n",
		 t->root, t->kernel[0] ? ", Linux " : "", t->kernel,
		 t->date[0] ? ", " : "", t->date);
}

/* 1, 2, 5, 10 ... ms: at most ten lines. */
static int32_t grid_of(const struct cli_span *s)
{
	static const int32_t steps[] = { 1,	2,     5,     10,    20,   50,
					 100,	200,   500,   1000,  2000, 5000,
					 10000, 20000, 50000, 100000 };
	unsigned i = 0;

	while (s->all / steps[i] >= 10 &&
	       i + 1 < sizeof(steps) / sizeof(steps[0]))
		i++;
	return steps[i];
}

static void put_axis(const struct cli_span *s, int bottom)
{
	int32_t grid = grid_of(s);
	/* the kernel starts at 0, and lines are multiples of the grid */
	int32_t at = s->first / grid * grid;

	cli_putf("<g text-anchor=\"middle\" fill=\"#555\">\n");
	for (; at <= s->first + s->all; at += grid) {
		int x = place(s, at);

		if (at < s->first)
			continue;
		cli_putf("<path d=\"M%d %dV%d\" stroke=\"%s\"/>"
			 "<text x=\"%d\" y=\"%d\">%s%d.%02d</text>\n",
			 x, TOP - 6, bottom, at ? "#ddd" : "#888", x,
			 bottom + 13, at < 0 ? "-" : "", abs(at) / 1000,
			 abs(at) % 1000 / 10);
	}
	cli_putf("<text x=\"%d\" y=\"%d\">s</text></g>\n", 588, bottom + 13);
}

/* The duration stands behind its bar, or before it near the right edge. */
static void put_bar(const struct times_step *step, const struct cli_span *s,
		    int y, int height, bool pale)
{
	const struct kind *k = kind_of(step->name);
	int from = place(s, step->start), to = place(s, step->end) + 1;
	bool left = to > LEFT + WIDTH - 20 && from > LEFT + 60;

	cli_putf("<g><title>%s: %d ms, from %d to %d ms</title>"
		 "<desc>waits for %s</desc><rect x=\"%d\" y=\"%d\" "
		 "width=\"%d\" height=\"%d\" fill=\"%s\"%s/></g>"
		 "<text x=\"%d\" y=\"%d\"%s%s>%d ms</text>\n",
		 step->name, step->end - step->start, step->start, step->end,
		 k->wait, from, y, to - from, height, phases[k->phase].color,
		 pale ? " fill-opacity=\"0.4\"" : "", left ? from - 4 : to + 4,
		 y + height - 2, left ? " text-anchor=\"end\"" : "",
		 pale ? " fill=\"#777\" font-size=\"9\"" : "",
		 step->end - step->start);
}

static void put_row(const struct times_step *step,
		    const struct times_step *before, const struct cli_span *s,
		    int y)
{
	bool within = kind_of(step->name)->within;

	cli_putf("<text x=\"%d\" y=\"%d\" text-anchor=\"end\"%s>%s</text>\n",
		 LEFT - 6, y + 10, within ? " fill=\"#777\"" : "", step->name);
	put_bar(step, s, y + 2 * within, 12 - 2 * within, false);
	if (before)
		put_bar(before, s, y + 13, 8, true);
}

static void put_legend(int y, bool compared)
{
	int x = 12;

	for (unsigned i = 0; i < PHASES; i++) {
		cli_putf("<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" "
			 "fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
			 x, y, phases[i].color, x + 14, y + 9, phases[i].name);
		x += 28 + 7 * (int)strlen(phases[i].name);
	}
	if (compared)
		cli_putf("<text x=\"%d\" y=\"%d\" fill=\"#777\">pale: "
			 "before</text>\n",
			 x, y + 9);
}

const struct times_step *cli_same_step(const struct times *t, const char *name)
{
	for (unsigned i = 0; t && i < t->n; i++)
		if (!strcmp(t->step[i].name, name))
			return &t->step[i];
	return NULL;
}

void cli_chart(const struct times *t, const struct times *other)
{
	int row = other ? 26 : ROW;
	int bottom = TOP + (int)t->n * row;
	struct cli_span s = cli_span(t), o;

	if (other) {
		int32_t end = s.first + s.all;

		o = cli_span(other);
		if (o.first + o.all > end)
			end = o.first + o.all;
		if (o.first < s.first)
			s.first = o.first;
		s.all = end - s.first;
	}
	put_head(t, other, bottom + 48);
	put_axis(&s, bottom);
	for (unsigned i = 0; i < t->n; i++)
		put_row(&t->step[i], cli_same_step(other, t->step[i].name), &s,
			TOP + (int)i * row);
	put_legend(bottom + 28, other);
	cli_putf("</svg>\n");
}
