/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an ELF file needs (elf(5)), and where ld.so finds it.  The files are
 * those of an image that anybody may have made: each number is compared with
 * what it is about, and nothing is read but with pread(2).
 */
#include "boot/keep/keep.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* Program headers, and entries of a dynamic section, that are looked at. */
#define HEADERS 64
#define ENTRIES 512

/* The ELF header of this program, from the linker: it names this machine. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

struct elf {
	int fd;
	unsigned n;
	ElfW(Phdr) h[HEADERS];
	uint64_t strings, size; /* where the names are in the file */
};

static bool get(int fd, uint64_t at, void *to, size_t len)
{
	return at <= INT64_MAX && pread(fd, to, len, (off_t)at) == (ssize_t)len;
}

/* A text of at most KEEP_NAME bytes with its NUL; false: there is none. */
static bool get_text(int fd, uint64_t at, char to[KEEP_NAME])
{
	ssize_t n = at <= INT64_MAX ? pread(fd, to, KEEP_NAME, (off_t)at) : -1;

	return n > 1 && *to && memchr(to, '\0', (size_t)n);
}

static bool open_elf(struct elf *e)
{
	ElfW(Ehdr) head;

	if (!get(e->fd, 0, &head, sizeof(head)) ||
	    memcmp(head.e_ident, __ehdr_start.e_ident, EI_VERSION + 1) != 0 ||
	    head.e_machine != __ehdr_start.e_machine ||
	    head.e_phentsize != sizeof(e->h[0]))
		return false;
	e->n = head.e_phnum < HEADERS ? head.e_phnum : HEADERS;
	return get(e->fd, head.e_phoff, e->h, e->n * sizeof(e->h[0]));
}

/* Where in the file an address is. */
static bool place(const struct elf *e, uint64_t address, uint64_t *at)
{
	for (unsigned i = 0; i < e->n; i++)
		if (e->h[i].p_type == PT_LOAD && address >= e->h[i].p_vaddr &&
		    address - e->h[i].p_vaddr < e->h[i].p_filesz) {
			*at = address - e->h[i].p_vaddr;
			if (*at > UINT64_MAX - e->h[i].p_offset)
				return false;
			*at += e->h[i].p_offset;
			return true;
		}
	return false;
}

static bool name_of(const struct elf *e, uint64_t at, char to[KEEP_NAME])
{
	return at < e->size && e->strings <= INT64_MAX &&
	       at <= INT64_MAX - e->strings &&
	       get_text(e->fd, e->strings + at, to);
}

/* A library is also looked for where the file says: not relative to it. */
static void add_library(struct keep *k, const char *name, const char *dirs)
{
	char path[KEEP_NAME];
	size_t n;

	keep_add(k, KEEP_LIBRARY, name);
	for (; *dirs; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		if (*dirs == '/' && n < sizeof(path) &&
		    nbd_fmt(path, sizeof(path), "%.*s/%s", (int)n, dirs, name) >
			    0)
			keep_add(k, KEEP_LIBRARY, path);
	}
}

static void read_dynamic(struct keep *k, struct elf *e, const ElfW(Phdr) * h)
{
	char name[KEEP_NAME], dirs[KEEP_NAME] = "";
	unsigned n = (unsigned)(h->p_filesz / sizeof(ElfW(Dyn)) < ENTRIES
					? h->p_filesz / sizeof(ElfW(Dyn))
					: ENTRIES);
	static ElfW(Dyn) all[ENTRIES];
	const ElfW(Dyn) * p;

	if (!get(e->fd, h->p_offset, all, n * sizeof(all[0])))
		return;
	for (p = all; p < all + n && p->d_tag != DT_NULL; p++)
		if (p->d_tag == DT_STRSZ)
			e->size = p->d_un.d_val;
		else if (p->d_tag == DT_STRTAB &&
			 !place(e, p->d_un.d_ptr, &e->strings))
			return;
	for (p = all; p < all + n && p->d_tag != DT_NULL; p++)
		if ((p->d_tag == DT_RUNPATH || p->d_tag == DT_RPATH) &&
		    !name_of(e, p->d_un.d_val, dirs))
			dirs[0] = '\0';
	for (p = all; p < all + n && p->d_tag != DT_NULL; p++)
		if (p->d_tag == DT_NEEDED && name_of(e, p->d_un.d_val, name))
			add_library(k, name, dirs);
}

bool keep_needed(struct keep *k, int fd)
{
	struct elf e = { .fd = fd };
	char name[KEEP_NAME];

	if (!open_elf(&e))
		return false;
	for (unsigned i = 0; i < e.n; i++)
		if (e.h[i].p_type == PT_DYNAMIC) {
			read_dynamic(k, &e, &e.h[i]);
		} else if (e.h[i].p_type == PT_INTERP &&
			   get_text(fd, e.h[i].p_offset, name)) {
			keep_add(k, KEEP_FILE, name);
			/* which that looks for each time, and reads */
			keep_add(k, KEEP_FILE, "/etc/ld.so.preload");
			keep_add(k, KEEP_FILE, "/etc/ld.so.cache");
		}
	return true;
}

/* ---- the cache of ld.so: dl-cache.h of glibc, since 2.32 ---- */

struct cache_head {
	char magic[20];
	uint32_t n, strings;
	uint8_t flags, unused[3];
	uint32_t extension, more[3];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path, version;
	uint64_t hwcap;
};

/* Entries that are looked at, far more than an installed system has. */
#define CACHE_MAX 65536u

void keep_cache(struct keep *k, int fd, const char *name,
		void (*found)(struct keep *k, const char *path))
{
	struct cache_head head;
	struct cache_entry e;
	char text[KEEP_NAME];

	if (!get(fd, 0, &head, sizeof(head)) ||
	    memcmp(head.magic, "glibc-ld.so.cache1.1", sizeof(head.magic)) != 0)
		return;
	for (uint64_t i = 0; i < head.n && i < CACHE_MAX; i++) {
		if (!get(fd, sizeof(head) + i * sizeof(e), &e, sizeof(e)))
			return;
		if (get_text(fd, e.name, text) && !strcmp(text, name) &&
		    get_text(fd, e.path, text))
			found(k, text);
	}
}
