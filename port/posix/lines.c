/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/posix/lines.h"

#include <string.h>
#include <unistd.h>

#include "port/posix/open.h"

#define LINE 512

/* Blanks in place of the last word, which goes on where there is no room. */
static void drop_last(char *line, size_t n)
{
	while (n && line[n - 1] != ' ' && line[n - 1] != '\t')
		line[--n] = ' ';
}

static void split(char *line, void (*fn)(void *ctx, char *word[]), void *ctx)
{
	char *word[LINES_WORDS], *end = line + strcspn(line, "#;");
	unsigned n = 0;

	*end = '\0';
	while (n < LINES_WORDS) {
		line += strspn(line, " \t\r");
		word[n++] = line;
		line += strcspn(line, " \t\r");
		if (*line)
			*line++ = '\0';
	}
	if (*word[0])
		fn(ctx, word);
}

void lines_each(const char *path, void (*fn)(void *ctx, char *word[]),
		void *ctx)
{
	char line[LINE], buf[LINE];
	struct stat st;
	const char *why;
	int fd = open_plain(path, &st, &why);
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return;
	while ((got = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			if (buf[i] != '\n') {
				if (n < sizeof(line) - 1)
					line[n++] = buf[i];
				else
					drop_last(line, n);
				continue;
			}
			line[n] = '\0';
			n = 0;
			split(line, fn, ctx);
		}
	line[n] = '\0';
	split(line, fn, ctx);
	close(fd);
}
