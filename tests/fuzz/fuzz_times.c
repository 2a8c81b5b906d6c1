/* SPDX-License-Identifier: BSD-2-Clause */
/* boot.json, and the list of mounts. */
#include "boot/system/times.h"
#include "boot/init/unmount.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void check_times(const char *text, size_t size)
{
	static struct times t;
	unsigned i;

	if (boot_times_parse(&t, text, size, NULL))
		return;
	same(t.n > 0 && t.n <= TIMES_MAX);
	for (i = 0; i < t.n; i++)
		same(t.step[i].start <= t.step[i].end &&
		     strlen(t.step[i].name) < sizeof(t.step[i].name) &&
		     !strpbrk(t.step[i].name, "<>&\"\\"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1), *path;
	size_t len = size, before = size;

	if (size)
		memcpy(text, data, size);
	check_times(text, size);
	while ((path = init_unmount_next(text, &len))) {
		same(len < before && path >= text + len &&
		     path + strlen(path) < text + before);
		before = len;
	}
	free(text);
	return 0;
}
