/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of a fetch: written by one process, read by commands. */
#include "boot/prefetch/seen.h"

#include <fcntl.h>
#include <string.h>

#include "port/linux/file.h"

/* Bytes: more than its lines have. */
#define TEXT 512

static const char *const names[PREFETCH_NUMBERS] = {
	[PREFETCH_DEVICE] = "device",
	[PREFETCH_READS] = "reads",
	[PREFETCH_RAM_READS] = "ram_reads",
	[PREFETCH_KIB] = "kib",
	[PREFETCH_RAM_KIB] = "ram_kib",
	[PREFETCH_FETCHED_KIB] = "fetched_kib",
	[PREFETCH_VAIN_KIB] = "vain_kib",
	[PREFETCH_CACHE_KIB] = "cache_kib",
	[PREFETCH_WAITED_MS] = "waited_ms",
	[PREFETCH_NEAR_US] = "near_us",
};

const char *prefetch_seen_name(enum prefetch_number i)
{
	return names[i];
}

int prefetch_seen_write(const struct prefetch_seen *s, int run)
{
	char text[TEXT];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };

	for (unsigned i = 0; i < PREFETCH_NUMBERS; i++)
		nbd_putf(&o, "%s %llu\n", names[i],
			 (unsigned long long)s->n[i]);
	return file_write(run, PREFETCH_SEEN, text, o.len);
}

bool prefetch_seen_parse(struct prefetch_seen *s, const char *text)
{
	const char *end = text + strlen(text);
	size_t len;

	for (unsigned i = 0; i < PREFETCH_NUMBERS; i++) {
		len = strlen(names[i]);
		if (strncmp(text, names[i], len) != 0 || text[len] != ' ')
			return false;
		text += len + 1;
		if (!nbd_take_number(&text, end, INT64_MAX, &s->n[i]) ||
		    *text != '\n')
			return false;
		text++;
	}
	return !*text;
}

bool prefetch_seen_read(struct prefetch_seen *s)
{
	char text[TEXT];

	return file_read(AT_FDCWD, "/run/" PREFETCH_SEEN, text, sizeof(text)) >
		       0 &&
	       prefetch_seen_parse(s, text);
}

void prefetch_seen_print(const struct prefetch_seen *s, struct nbd_out *o)
{
	const uint64_t *n = s->n;

	if (n[PREFETCH_CACHE_KIB]) {
		nbd_putf(o,
			 "%llu of %llu KiB came from the cache, all reads took "
			 "%llu ms",
			 (unsigned long long)n[PREFETCH_CACHE_KIB],
			 (unsigned long long)n[PREFETCH_KIB],
			 (unsigned long long)n[PREFETCH_WAITED_MS]);
		return;
	}
	if (n[PREFETCH_NEAR_US]) {
		nbd_putf(o,
			 "nothing was fetched, as the server answered a read "
			 "in %llu.%llu ms; all %llu reads took %llu ms",
			 (unsigned long long)n[PREFETCH_NEAR_US] / 1000,
			 (unsigned long long)n[PREFETCH_NEAR_US] / 100 % 10,
			 (unsigned long long)n[PREFETCH_READS],
			 (unsigned long long)n[PREFETCH_WAITED_MS]);
		return;
	}
	nbd_putf(o,
		 "%llu of %llu reads came from RAM, %llu of %llu KiB were "
		 "fetched in vain, all reads took %llu ms",
		 (unsigned long long)n[PREFETCH_RAM_READS],
		 (unsigned long long)n[PREFETCH_READS],
		 (unsigned long long)n[PREFETCH_VAIN_KIB],
		 (unsigned long long)n[PREFETCH_FETCHED_KIB],
		 (unsigned long long)n[PREFETCH_WAITED_MS]);
}
