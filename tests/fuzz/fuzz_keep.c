/* SPDX-License-Identifier: BSD-2-Clause */
/* An ELF file, or a cache of ld.so, of a root that somebody else has made. */
#include "boot/keep/keep.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool yes)
{
	if (!yes)
		abort();
}

static void found(struct keep *k, const char *path)
{
	must(*path && strnlen(path, KEEP_NAME) < KEEP_NAME);
	k->files++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct keep k;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	k.n_names = k.failed = k.files = 0;
	k.full = false;
	if (!keep_needed(&k, fd))
		must(!k.n_names);
	must(k.n_names <= KEEP_NAMES);
	for (unsigned i = 0; i < k.n_names; i++)
		must(k.names[i].text[0] &&
		     strnlen(k.names[i].text, KEEP_NAME) < KEEP_NAME);
	keep_cache(&k, fd, "libc.so.6", found);
	close(fd);
	return 0;
}
