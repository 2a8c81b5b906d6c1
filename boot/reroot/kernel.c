/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel of the new root and its initramfs.  Symbolic links, such as
 * /vmlinuz, stay inside of that root.
 */
#include "boot/reroot/kexec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/words/root.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"
#include "port/linux/process.h"
#include "port/posix/open.h"

/* Of Linux 6.3; an older kernel refuses it, and a newer one may demand it. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif
/* Bytes in one call. */
#define STEP   (1 << 20)
/*
 * Each file is three times in memory when it is loaded: the copy, what the
 * kernel reads of it, and the pages that it starts from.
 */
#define COPIES 3

/* ---- before the root is mounted ---- */

/*
 * The last of several words wins, and another root than the one that was
 * checked must not.
 */
static int check_append(const char *append, struct nbd_diag *d)
{
	struct cmdline c;
	bool quoted = false;

	for (const char *p = append; *p; p++) {
		quoted ^= *p == '"';
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return nbd_diag(d, NBD_E_USAGE,
					"--append: control characters are not "
					"possible here");
	}
	if (quoted)
		return nbd_diag(d, NBD_E_USAGE,
				"--append=%s: a double quote is missing",
				append);
	if (boot_cmdline_parse(&c, append, d))
		return NBD_E_USAGE;
	return c.root || root_named(&c)
		       ? nbd_diag(d, NBD_E_USAGE,
				  "--append=%s: the operand names the root",
				  append)
		       : NBD_OK;
}

int reroot_kernel_begin(struct reroot_kernel *k, struct nbd_diag *d)
{
	if (k->append && check_append(k->append, d))
		return NBD_E_USAGE;
	for (unsigned i = 0; i < REROOT_FILES; i++) {
		if (k->wish[i] && strlen(k->wish[i]) >= sizeof(k->path[i]))
			return nbd_diag(d, NBD_E_USAGE,
					"the path of the %s is longer than %zu "
					"bytes",
					i == REROOT_KERNEL ? "kernel"
							   : "initramfs",
					sizeof(k->path[i]) - 1);
		k->fd[i] =
			memfd_create("nbdboot", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
		if (k->fd[i] < 0)
			k->fd[i] = memfd_create("nbdboot", MFD_CLOEXEC);
		if (k->fd[i] < 0)
			return nbd_diag(d, NBD_E_NO_MEMORY,
					"make a file in memory: %s",
					strerror(errno));
	}
	return NBD_OK;
}

/* ---- in the new root: which files? ---- */

#define PATH_CAP sizeof(((struct reroot_kernel *)0)->path[0])

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* What installers keep of a kernel that they replaced. */
static bool is_backup(const char *name)
{
	size_t len = strlen(name);

	return (len > 4 && !strcmp(name + len - 4, ".old")) ||
	       strstr(name, ".dpkg-");
}

/*
 * The newest DIR/NAMEFILE where NAME begins with `begin`; names are compared as
 * versions are.
 */
static bool newest(char path[PATH_CAP], const char *dir, const char *begin,
		   const char *file)
{
	char best[256] = "", at[PATH_CAP];
	struct dir names;
	const char *name;

	dir_open(&names, dir);
	while ((name = dir_next(&names))) {
		if (strncmp(name, begin, strlen(begin)) != 0 ||
		    is_backup(name) || (*best && strverscmp(name, best) < 0) ||
		    nbd_fmt(at, sizeof(at), "%s/%s%s", dir, name, file) < 0 ||
		    !is_file(at))
			continue;
		nbd_fmt(best, sizeof(best), "%s", name);
		memcpy(path, at, sizeof(at));
	}
	dir_close(&names);
	return *best;
}

static bool find_kernel(char path[PATH_CAP])
{
	static const char *const links[] = { "/vmlinuz", "/boot/vmlinuz" };

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		nbd_fmt(path, PATH_CAP, "%s", links[i]);
		if (is_file(path))
			return true;
	}
	*path = '\0';
	return newest(path, "/boot", "vmlinuz-", "") ||
	       newest(path, "/usr/lib/modules", "", "/vmlinuz");
}

/*
 * Tries the names that Debian, Fedora or Arch, Alpine, and openSUSE or systemd
 * give an initramfs.
 */
static bool try_initrd(char path[PATH_CAP], const char *dir, int len,
		       const char *version)
{
	static const char *const names[][2] = {
		{ "initrd.img", "" },
		{ "initramfs", ".img" },
		{ "initramfs", "" },
		{ "initrd", "" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (nbd_fmt(path, PATH_CAP, "%.*s/%s%s%s", len, dir,
			    names[i][0], version, names[i][1]) > 0 &&
		    is_file(path))
			return true;
	*path = '\0';
	return false;
}

/*
 * Beside the kernel, with the same version in its name; that of
 * /usr/lib/modules/VERSION/vmlinuz may be in /boot.
 */
static bool find_initrd(char path[PATH_CAP], const char *kernel)
{
	const char *slash = strrchr(kernel, '/');
	const char *base = slash ? slash + 1 : kernel, *up = slash;
	char version[256];

	if (try_initrd(path, kernel, slash ? (int)(slash - kernel) : 0,
		       base + strcspn(base, "-.")))
		return true;
	while (up && up > kernel && up[-1] != '/')
		up--;
	return slash && up > kernel &&
	       nbd_fmt(version, sizeof(version), "-%.*s", (int)(slash - up),
		       up) > 0 &&
	       try_initrd(path, "/boot", 5, version);
}

/* Takes the path that was wished for; false: none was. */
static bool wished(struct reroot_kernel *k, enum reroot_file file)
{
	const char *wish = k->wish[file];

	/* reroot_kernel_begin() has checked that it fits */
	nbd_fmt(k->path[file], PATH_CAP, "%s", wish ? wish : "");
	if (wish && file == REROOT_INITRD && !strcmp(wish, REROOT_NONE))
		k->path[file][0] = '\0';
	return wish;
}

static int choose(struct reroot_kernel *k, struct nbd_diag *d)
{
	char *kernel = k->path[REROOT_KERNEL], *initrd = k->path[REROOT_INITRD];

	if (!wished(k, REROOT_KERNEL) && !find_kernel(kernel))
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"the new root has no kernel: neither /vmlinuz "
				"nor /boot/vmlinuz-VERSION nor "
				"/usr/lib/modules/VERSION/vmlinuz (--kernel "
				"names it)");
	if (!wished(k, REROOT_INITRD) && !find_initrd(initrd, kernel))
		return nbd_diag(d, NBD_E_NOT_FOUND,
				"the new root has no initramfs for %s "
				"(--initrd names it; --initrd=" REROOT_NONE
				" if the kernel contains it)",
				kernel);
	return NBD_OK;
}

/* ---- copies ---- */

static int failed(const char *path, const char *why, struct nbd_diag *d)
{
	return nbd_diag(d, NBD_E_IO, "read %s of the new root: %s", path, why);
}

/* Returns a descriptor, or an error. */
static int open_file(const char *path, off_t *size, struct nbd_diag *d)
{
	const char *why;
	struct stat st;
	int fd = open_plain(path, &st, &why);

	if (fd < 0)
		return failed(path, why, d);
	*size = st.st_size;
	if (*size)
		return fd;
	close(fd);
	return failed(path, "the file is empty", d);
}

/* A killed process would be worse than an error. */
static int check_memory(uint64_t bytes, uint64_t kib, struct nbd_diag *d)
{
	uint64_t need = bytes / 1024 * COPIES;

	return kib > need ? NBD_OK
			  : nbd_diag(d, NBD_E_NO_MEMORY,
				     "%llu KiB of memory are free, the kernel "
				     "and its initramfs need %llu",
				     (unsigned long long)kib,
				     (unsigned long long)need);
}

static int copy(int to, int from, off_t size, const char *path,
		struct nbd_diag *d)
{
	off_t left = size;
	ssize_t n = 0;

	/* an earlier try may have left its copy */
	if (ftruncate(to, 0) || lseek(to, 0, SEEK_SET))
		return failed(path, strerror(errno), d);
	while (left > 0 && (n = sendfile(to, from, NULL, STEP)) > 0)
		left -= n;
	if (n < 0)
		return failed(path, strerror(errno), d);
	return left > 0 ? failed(path, "it became shorter", d) : NBD_OK;
}

static int copy_files(struct reroot_kernel *k, uint64_t kib, struct nbd_diag *d)
{
	int from[REROOT_FILES] = { -1, -1 }, rc = NBD_OK;
	off_t size[REROOT_FILES] = { 0, 0 };
	unsigned i;

	for (i = 0; i < REROOT_FILES && rc >= 0; i++)
		if (k->path[i][0])
			rc = from[i] = open_file(k->path[i], &size[i], d);
	if (rc >= 0)
		rc = check_memory((uint64_t)size[REROOT_KERNEL] +
					  (uint64_t)size[REROOT_INITRD],
				  kib, d);
	for (i = 0; i < REROOT_FILES && !rc; i++)
		if (from[i] >= 0)
			rc = copy(k->fd[i], from[i], size[i], k->path[i], d);
	for (i = 0; i < REROOT_FILES; i++)
		if (from[i] >= 0)
			close(from[i]);
	return rc;
}

/* ---- the child ---- */

struct question {
	const char *root;
	uint64_t kib; /* free; the new root has no /proc */
	struct reroot_kernel k;
};

static int take(void *data, struct nbd_diag *d)
{
	struct question *q = data;
	int rc;

	if (chdir(q->root) || chroot("."))
		return nbd_diag(d, NBD_E_PERM, "enter %s: %s", q->root,
				strerror(errno));
	rc = choose(&q->k, d);
	if (!rc)
		rc = copy_files(&q->k, q->kib, d);
	for (unsigned i = 0; i < REROOT_FILES; i++)
		close(q->k.fd[i]);
	return rc;
}

/* The caller's own root stays: it still unmounts the new one. */
int reroot_kernel_take(struct reroot_kernel *k, const char *root,
		       struct nbd_diag *d)
{
	struct question q = { .root = root,
			      .kib = file_meminfo("MemAvailable:"),
			      .k = *k };
	int rc = process_run(take, &q, sizeof(q), "the copy of the kernel",
			     REROOT_FILES_MS, d);

	for (unsigned i = 0; i < REROOT_FILES; i++)
		close(k->fd[i]);
	*k = q.k;
	return rc;
}
