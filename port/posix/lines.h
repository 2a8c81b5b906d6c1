/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a file's lines, without memory for all of them. */
#ifndef PORT_POSIX_LINES_H
#define PORT_POSIX_LINES_H

#define LINES_WORDS 128

/*
 * Calls fn for each line that has words: the first LINES_WORDS of them, of which
 * unused ones are "".  Comments begin with '#' or ';'.  Of a line of more than
 * 511 bytes only the words in those count.  A file that cannot be read has no lines.
 */
void lines_each(const char *path, void (*fn)(void *ctx, char *word[]),
		void *ctx);

#endif
