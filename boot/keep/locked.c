/* SPDX-License-Identifier: BSD-2-Clause */
/* The queue of names, the files that are kept, each once, and their memory. */
#include "boot/keep/keep.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/file.h"

/* What comes now is left out: said once, for there may be thousands. */
static void is_full(struct keep *k, const char *what, unsigned most)
{
	if (!k->full)
		boot_say("keep: more than %u %s: what follows is not kept",
			 most, what);
	k->full = true;
	k->failed++;
}

void keep_add(struct keep *k, enum keep_kind kind, const char *name)
{
	struct keep_name *n = k->names;

	for (; n < k->names + k->n_names; n++)
		if (!strcmp(n->text, name))
			return;
	if (k->n_names == KEEP_NAMES) {
		is_full(k, "names", KEEP_NAMES);
		return;
	}
	k->n_names++;
	nbd_fmt(n->text, sizeof(n->text), "%s", name);
	n->kind = (uint8_t)kind;
}

bool keep_first(struct keep *k, const struct stat *st)
{
	for (unsigned i = 0; i < k->n_seen; i++)
		if (k->seen[i].dev == st->st_dev &&
		    k->seen[i].ino == st->st_ino)
			return false;
	if (k->n_seen == KEEP_FILES) {
		is_full(k, "files and links", KEEP_FILES);
		return false;
	}
	k->seen[k->n_seen++] = (struct keep_seen){ st->st_dev, st->st_ino };
	return true;
}

int keep_lock(struct keep *k, int fd, uint64_t at, uint64_t len)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t left = k->max - k->bytes, before = at % page, pages;
	void *p;

	/* in this order nothing wraps */
	if (len > left || left - len < 2 * page || at > INT64_MAX)
		return NBD_E_NO_MEMORY;
	pages = (before + len + page - 1) / page * page;
	if (!len || pages > SIZE_MAX)
		return len ? NBD_E_NO_MEMORY : NBD_OK;
	p = mmap(NULL, (size_t)pages, PROT_READ, MAP_SHARED, fd,
		 (off_t)(at - before));
	if (p == MAP_FAILED)
		return file_error(errno);
	/* reads all of it */
	if (mlock(p, (size_t)pages)) {
		int err = errno;

		munmap(p, (size_t)pages);
		errno = err;
		return file_error(err);
	}
	k->bytes += pages;
	return NBD_OK;
}
