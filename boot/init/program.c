/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that an execve() would succeed, before anything that cannot be undone:
 * checks the file, and each interpreter that it names.
 */
#include "boot/init/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/odd.h"
#include "port/linux/process.h"
#include "port/posix/open.h"

/* The kernel gives up at the same depth of nested "#!" and ELF interpreters. */
#define DEPTH	5
/*
 * Bytes: so much of each file is read ahead, in steps of this size, because the
 * kernel cuts each request to the device's readahead.
 */
#define AHEAD	(4 << 20)
#define STEP	(128 << 10)
/* ms for the whole check. */
#define LOOK_MS 60000

/* The ELF header of this program, from the linker: it names this machine. */
extern const unsigned char __ehdr_start[] __attribute__((visibility("hidden")));

struct check {
	const char *init; /* the path that was asked for */
	char path[PATH_MAX], next[PATH_MAX];
	unsigned char head[256];
	size_t len;
	struct nbd_diag *d;
};

static int unfit(struct check *c, const char *why)
{
	if (!strcmp(c->init, c->path))
		return nbd_diag(c->d, NBD_E_KERNEL,
				"%s in the new root cannot be executed: %s",
				c->init, why);
	return nbd_diag(c->d, NBD_E_KERNEL,
			"%s in the new root cannot be executed: its "
			"interpreter %s: %s",
			c->init, c->path, why);
}

/* Reads an unsigned number in the file's byte order, which is also ours. */
static uint64_t number(const unsigned char *p, unsigned size)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 2:
		memcpy(&v16, p, 2);
		return v16;
	case 4:
		memcpy(&v32, p, 4);
		return v32;
	default:
		memcpy(&v64, p, 8);
		return v64;
	}
}

/* Reads the path in a PT_INTERP segment into c->next. */
static int read_interp(struct check *c, int fd, uint64_t at, uint64_t len)
{
	ssize_t n;

	if (len < 2 || len > sizeof(c->next))
		return unfit(c, "broken ELF interpreter");
	n = pread(fd, c->next, (size_t)len, (off_t)at);
	if (n != (ssize_t)len || c->next[len - 1] || !c->next[0])
		return unfit(c, "broken ELF interpreter");
	return NBD_OK;
}

/* Walks the program headers; the layouts are those of elf(5). */
static int check_elf(struct check *c, int fd)
{
	bool wide = c->head[EI_CLASS] == ELFCLASS64;
	unsigned word = wide ? 8 : 4, size = wide ? 56 : 32, i, count;
	unsigned char ph[56];
	uint64_t at;

	if (c->len < 64 || c->head[EI_DATA] != __ehdr_start[EI_DATA])
		return unfit(c, "made for another machine");
	/* a 64-bit machine may run 32-bit programs: the kernel decides */
	if (c->head[EI_CLASS] == __ehdr_start[EI_CLASS] &&
	    memcmp(c->head + 18, __ehdr_start + 18, 2) != 0)
		return unfit(c, "made for another machine");
	at = number(c->head + (wide ? 32 : 28), word);
	count = (unsigned)number(c->head + (wide ? 56 : 44), 2);
	for (i = 0; i < count; i++, at += size) {
		if (pread(fd, ph, size, (off_t)at) != (ssize_t)size)
			return unfit(c, "cut short");
		if (number(ph, 4) == PT_INTERP)
			return read_interp(c, fd,
					   number(ph + (wide ? 8 : 4), word),
					   number(ph + (wide ? 32 : 16), word));
	}
	return NBD_OK;
}

static int check_script(struct check *c)
{
	char *p = (char *)c->head + 2, *end = (char *)c->head + c->len;
	size_t n;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	for (n = 0; p + n < end && p[n] && !strchr(" \t\n", p[n]); n++)
		c->next[n] = p[n];
	c->next[n] = '\0';
	return n ? NBD_OK : unfit(c, "no interpreter after #!");
}

static int check_content(struct check *c, int fd)
{
	ssize_t n = pread(fd, c->head, sizeof(c->head), 0);

	if (n < 0)
		return unfit(c, strerror(errno));
	c->len = (size_t)n;
	c->next[0] = '\0';
	if (c->len > 2 && !memcmp(c->head, "#!", 2))
		return check_script(c);
	if (c->len > SELFMAG && !memcmp(c->head, ELFMAG, SELFMAG))
		return check_elf(c, fd);
	return unfit(c, c->len ? "neither ELF nor #!" : "the file is empty");
}

/* Checks one file.  On success c->next is its interpreter, or "". */
static int check_file(struct check *c)
{
	const char *why;
	struct stat st;
	int fd = open_plain(c->path, &st, &why), rc;

	if (fd < 0)
		return unfit(c, why);
	/* EACCES also where the file system is mounted noexec */
	rc = access(c->path, X_OK) ? unfit(c, strerror(errno))
				   : check_content(c, fd);
	/* it is executed soon: the server sends it while the boot continues */
	for (off_t at = 0; at < AHEAD && at < st.st_size; at += STEP)
		posix_fadvise(fd, at, STEP, POSIX_FADV_WILLNEED);
	close(fd);
	return rc;
}

static int missing(struct check *c)
{
	char name[INIT_ODD_NAME];

	if (init_odd_subvolume(c->path, name))
		return nbd_diag(c->d, NBD_E_NOT_FOUND,
				"the new root has no %s, but its subvolume %s "
				"has one (rootflags=subvol=%s)",
				c->path, name, name);
	return nbd_diag(c->d, NBD_E_NOT_FOUND, "the new root has no %s",
			c->path);
}

static int check_chain(struct check *c)
{
	struct stat st;
	unsigned i;

	/* a dangling link exists, but is broken */
	if (lstat(c->path, &st) && errno == ENOENT)
		return missing(c);
	for (i = 0; i < DEPTH; i++) {
		int rc = check_file(c);

		if (rc || !c->next[0])
			return rc;
		memcpy(c->path, c->next, sizeof(c->path));
	}
	return unfit(c, "too many nested interpreters");
}

struct question {
	const char *root, *path;
};

static int look(void *data, struct nbd_diag *d)
{
	const struct question *q = data;
	struct check c = { .init = q->path, .d = d };

	if (nbd_fmt(c.path, sizeof(c.path), "%s", q->path) < 0)
		return nbd_diag(d, NBD_E_USAGE, "init=: the path is too long");
	if (chdir(q->root) || chroot("."))
		return nbd_diag(d, NBD_E_PERM, "enter %s: %s", q->root,
				strerror(errno));
	return check_chain(&c);
}

/*
 * The check runs in a child: the root's server may be away, and a chroot() of
 * process 1 would apply to the kernel's threads, too, which would then look for
 * a driver's firmware in the new root.
 */
int init_program_check(const char *root, const char *path, struct nbd_diag *d)
{
	struct question q = { root, path };

	return process_run(look, &q, sizeof(q), "the check of init", LOOK_MS,
			   d);
}

/*
 * The inits that the kernel tries, except /bin/sh: a root without an init is a
 * mistake, and no reason to give a shell to everybody at the console.
 */
int init_program_find(const char *root, const char *wanted, const char **init,
		      struct nbd_diag *d)
{
	static const char *const inits[] = { "/sbin/init", "/etc/init",
					     "/bin/init" };
	struct nbd_diag other;
	size_t i;
	int rc;

	*init = wanted ? wanted : inits[0];
	rc = init_program_check(root, *init, d);
	for (i = 1; !wanted && rc == NBD_E_NOT_FOUND && i < 3; i++) {
		if (init_program_check(root, inits[i], &other))
			continue;
		*init = inits[i];
		rc = NBD_OK;
	}
	return rc;
}
