/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads kernel modules.  depmod's files are mapped, so a line may have any
 * length.
 * A line of modules.dep names all direct and indirect dependencies, the
 * deepest last:
 *
 *	kernel/net/virtio_net.ko: kernel/net/net_failover.ko kernel/...
 *
 * so they are loaded from the end of the line to its start.  Only this line is
 * read, and only once, so a cycle in the file does no harm.
 */
#include "port/linux/module.h"
#include "port/linux/file.h"
#include "port/linux/module_alias.h"
#include "port/linux/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ms for one module, whose driver may look for its devices first. */
#define INSERT_MS 60000

/*
 * ms to wait for another process that loads or unloads the same module, and
 * between two tries.  The kernel's EBUSY may also be the driver's own, so
 * without a trace of that process there are few tries.
 */
#define BUSY_MS	   10000
#define BUSY_TRIES 10
#define AGAIN_MS   20

/* linux/module.h; kernels before 5.17 do not know it. */
#define INIT_COMPRESSED 4

struct mod_dirs mod_dirs = { NULL, "/sys/module", "/proc/cmdline", NULL };

/* The kernel's COMMAND_LINE_SIZE is 2048 or 4096. */
#define WORDS_MAX 4096

/* Part of a mapped file. */
struct span {
	const char *p;
	size_t len;
};

/* ---- names ---- */

/* The file name of a path: "kernel/lib/crc-t10dif.ko.xz" is crc-t10dif. */
static struct span base(struct span path)
{
	const char *slash = memrchr(path.p, '/', path.len);
	struct span b = path;

	if (slash) {
		b.p = slash + 1;
		b.len -= (size_t)(b.p - path.p);
	}
	for (size_t i = 0; i + 3 <= b.len; i++)
		if (b.p[i] == '.' && b.p[i + 1] == 'k' && b.p[i + 2] == 'o')
			b.len = i;
	return b;
}

static bool same(struct span span, const char *name)
{
	size_t i = 0;

	for (; i < span.len; i++)
		if (!name[i] || mod_norm(span.p[i]) != mod_norm(name[i]))
			return false;
	return name[i] == '\0';
}

/* ---- depmod's files ---- */

static void put_path(char *buf, size_t cap, struct span file)
{
	struct utsname u;

	if (mod_dirs.lib) {
		nbd_fmt(buf, cap, "%s/%.*s", mod_dirs.lib, (int)file.len,
			file.p);
		return;
	}
	uname(&u);
	nbd_fmt(buf, cap, "/lib/modules/%s/%.*s", u.release, (int)file.len,
		file.p);
}

/* Maps a file of /lib/modules/RELEASE: 0, or NBD_E_NOT_FOUND and errno. */
static int map(struct span *s, const char *name)
{
	char path[300];
	struct stat st;
	void *p;
	int fd;

	put_path(path, sizeof(path), (struct span){ name, strlen(name) });
	*s = (struct span){ "", 0 };
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return file_error(errno);
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		s->len = (size_t)st.st_size;
		p = mmap(NULL, s->len, PROT_READ, MAP_PRIVATE, fd, 0);
		s->p = p;
		if (p == MAP_FAILED)
			*s = (struct span){ "", 0 };
	}
	close(fd);
	return 0;
}

static void unmap(struct span s)
{
	if (s.len)
		munmap((void *)(uintptr_t)s.p, s.len);
}

/* Splits off the first piece, up to c; false when nothing is left. */
static bool split(struct span *s, char c, struct span *piece)
{
	const char *end;

	if (s->len == 0)
		return false;
	end = memchr(s->p, c, s->len);
	piece->p = s->p;
	piece->len = end ? (size_t)(end - s->p) : s->len;
	s->p += piece->len + (end != NULL);
	s->len -= piece->len + (end != NULL);
	return true;
}

/* Splits off the last word of a line. */
static bool split_last(struct span *s, struct span *word)
{
	size_t n;

	while (s->len && s->p[s->len - 1] == ' ')
		s->len--;
	for (n = s->len; n && s->p[n - 1] != ' '; n--)
		;
	*word = (struct span){ s->p + n, s->len - n };
	s->len = n;
	return word->len != 0;
}

/* Copies a name or an alias, with _ for -; false if it is too long. */
static bool put_name(char *buf, size_t cap, struct span s)
{
	if (s.len >= cap)
		return false;
	for (size_t i = 0; i < s.len; i++)
		buf[i] = mod_norm(s.p[i]);
	buf[s.len] = '\0';
	return true;
}

/* ---- loading ---- */

/* True if built in or live; false while another process (un)loads it. */
static bool is_loaded(const char *name)
{
	char path[300];
	char state[5];

	nbd_fmt(path, sizeof(path), "%s/%s/initstate", mod_dirs.sys, name);
	if (file_read(AT_FDCWD, path, state, sizeof(state)) < 0) {
		*strrchr(path, '/') = '\0';
		return access(path, F_OK) == 0;
	}
	return strcmp(state, "live") == 0;
}

/* Appends a module's words of the kernel command line, without "nbd.". */
static void put_words(struct nbd_out *o, const char *module)
{
	char words[WORDS_MAX];
	const char *p = words, *end, *dot;

	file_read(AT_FDCWD, mod_dirs.cmdline, words, sizeof(words));
	for (; *(p += strspn(p, NBD_BLANKS)); p = end) {
		end = nbd_word_end(p);
		dot = memchr(p, '.', (size_t)(end - p));
		if (!dot ||
		    !same((struct span){ p, (size_t)(dot - p) }, module))
			continue;
		nbd_put(o, " ", o->len != 0);
		nbd_put(o, dot + 1, (size_t)(end - dot - 1));
	}
}

static int refused(const char *path, bool packed, int err, struct nbd_diag *d)
{
	const char *why = strerror(err);

	if (packed && (err == EOPNOTSUPP || err == EINVAL))
		why = "this kernel does not unpack modules: put the unpacked "
		      ".ko there and run depmod";
	else if (err == ENOENT)
		why = "it needs a symbol that the kernel lacks: is it for "
		      "this kernel, and modules.dep up to date?";
	return nbd_diag(d, err == EPERM ? NBD_E_PERM : NBD_E_KERNEL,
			"load %s: %s", path, why);
}

struct insertion {
	int fd;
	const char *params;
	bool packed;
};

/* Runs in a child.  Returns an errno. */
static int call_kernel(void *data, struct nbd_diag *d)
{
	const struct insertion *i = data;

	(void)d;
	return syscall(SYS_finit_module, i->fd, i->params,
		       i->packed ? INIT_COMPRESSED : 0) < 0
		       ? errno
		       : 0;
}

static bool is_there(const char *name)
{
	char path[300];

	nbd_fmt(path, sizeof(path), "%s/%s", mod_dirs.sys, name);
	return access(path, F_OK) == 0;
}

/* A driver that never returns must not stop the boot. */
static int insert_patiently(struct insertion *i, const char *name,
			    struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + BUSY_MS;
	unsigned tries = 0;
	int err;

	while ((err = process_run(call_kernel, i, 0, "loading it", INSERT_MS,
				  d)) == EBUSY &&
	       nbd_now_ms() < end && tries < BUSY_TRIES) {
		/* one that comes and goes leaves a trace now and then */
		tries = is_there(name) ? 0 : tries + 1;
		poll(NULL, 0, AGAIN_MS);
	}
	return err;
}

static int insert_file(const char *path, const char *name, const char *params,
		       struct nbd_diag *d)
{
	struct insertion i = {
		.fd = open(path, O_RDONLY | O_CLOEXEC),
		.params = params,
		.packed = path[strlen(path) - 1] != 'o', /* .ko.xz .zst */
	};
	int err;

	if (i.fd < 0 && errno == ENOENT && mod_dirs.fetch &&
	    mod_dirs.fetch(path))
		i.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (i.fd < 0)
		return nbd_diag(d, NBD_E_NOT_FOUND, "open %s: %s", path,
				strerror(errno));
	err = insert_patiently(&i, name, d);
	close(i.fd);
	if (err < 0)
		return nbd_diag_prefix(d, err, "%s", path);
	return err == 0 || err == EEXIST ? 0 : refused(path, i.packed, err, d);
}

static int load(const char *name, const char *params, bool soft,
		struct nbd_diag *d);
static int load_alias(const char *alias, bool soft, struct nbd_diag *d);

/*
 * Loads the soft dependencies of a module: "softdep ext4 pre: crc32c".  Each is
 * a name or an alias and may fail to load; their own soft dependencies are
 * ignored.
 */
static void load_wishes(const char *module)
{
	struct span all, rest, line, word;
	bool pre = false;
	char name[64];

	map(&all, "modules.softdep");
	for (rest = all; split(&rest, '\n', &line);) {
		if (!split(&line, ' ', &word) || !same(word, "softdep") ||
		    !split(&line, ' ', &word) || !same(word, module))
			continue;
		while (split(&line, ' ', &word)) {
			if (word.len && word.p[word.len - 1] == ':')
				pre = same(word, "pre:");
			else if (pre && put_name(name, sizeof(name), word) &&
				 load(name, "", false, NULL) < 0)
				load_alias(name, false, NULL);
		}
	}
	unmap(all);
}

/* Loads one file that modules.dep names, unless it is loaded. */
static int insert(struct span file, const char *params, bool soft,
		  struct nbd_diag *d)
{
	char path[300], name[64], all[1024];
	struct nbd_out o = { .buf = all, .cap = sizeof(all) - 1 };

	if (!put_name(name, sizeof(name), base(file)) ||
	    file.len >= sizeof(path) - 100)
		return nbd_diag(d, NBD_E_NO_MEMORY,
				"modules.dep: a path is too long");
	if (is_loaded(name))
		return 0;
	if (soft)
		load_wishes(name);
	put_path(path, sizeof(path), file);
	/* the last value wins, so the kernel command line comes last */
	nbd_put(&o, params, strlen(params));
	put_words(&o, name);
	all[o.len] = '\0';
	if (o.cut)
		return nbd_diag(
			d, NBD_E_NO_MEMORY,
			"the kernel command line has too many parameters for "
			"module %s",
			name);
	return insert_file(path, name, all, d);
}

static int insert_all(struct span file, struct span needs, const char *params,
		      bool soft, struct nbd_diag *d)
{
	struct span word;
	int rc = 0;

	while (rc == 0 && split_last(&needs, &word))
		rc = insert(word, "", soft, d);
	return rc < 0 ? rc : insert(file, params, soft, d);
}

/* Is the module in a list with one path per line? */
static bool is_in(const char *list, const char *name)
{
	struct span all, rest, line, file;
	bool found = false;

	map(&all, list);
	for (rest = all; !found && split(&rest, '\n', &line);)
		found = split(&line, ':', &file) && same(base(file), name);
	unmap(all);
	return found;
}

bool mod_listed(const char *name)
{
	return is_in("modules.dep", name);
}

static int load(const char *name, const char *params, bool soft,
		struct nbd_diag *d)
{
	struct span all, rest, line, file;
	int err, rc = NBD_E_NOT_FOUND;
	char dir[300];

	err = map(&all, "modules.dep") < 0 ? errno : 0;
	for (rest = all; split(&rest, '\n', &line);) {
		if (!split(&line, ':', &file) || !same(base(file), name))
			continue;
		rc = insert_all(file, line, params, soft, d);
		goto out;
	}
	if (is_in("modules.builtin", name)) {
		rc = 0;
		goto out;
	}
	put_path(dir, sizeof(dir), (struct span){ "modules.dep", 11 });
	if (err)
		nbd_diag(d, rc, "module %s: open %s: %s", name, dir,
			 strerror(err));
	else
		nbd_diag(d, rc, "module %s is not in %s", name, dir);
out:
	unmap(all);
	return rc;
}

static int load_alias(const char *alias, bool soft, struct nbd_diag *d)
{
	struct span all, rest, line, word, pattern;
	int rc, result = 1;
	char name[64];

	map(&all, "modules.alias");
	rest = all;
	mod_alias_narrow(&rest.p, &rest.len, alias);
	while (split(&rest, '\n', &line)) {
		/* alias PATTERN MODULE; a pattern has no blanks */
		if (!split(&line, ' ', &word) || !same(word, "alias") ||
		    !split(&line, ' ', &pattern) ||
		    !mod_match(pattern.p, pattern.len, alias) ||
		    !put_name(name, sizeof(name), line))
			continue;
		rc = load(name, "", soft, d);
		if (result != 0)
			result = rc;
	}
	unmap(all);
	if (result <= 0)
		return result;
	return nbd_diag(d, NBD_E_NOT_FOUND, "no module for %s", alias);
}

int mod_load(const char *name, const char *params, struct nbd_diag *d)
{
	return load(name, params, true, d);
}

int mod_load_alias(const char *modalias, struct nbd_diag *d)
{
	return load_alias(modalias, true, d);
}

int mod_unload(const char *name, struct nbd_diag *d)
{
	char id[64] = "";

	/* no module has a name that is too long */
	put_name(id, sizeof(id), (struct span){ name, strlen(name) });
	if (syscall(SYS_delete_module, id, O_NONBLOCK) == 0)
		return 0;
	if (errno == ENOENT)
		return nbd_diag(d, NBD_E_NOT_FOUND, "module %s is not loaded",
				name);
	if (errno == EWOULDBLOCK || errno == EBUSY)
		return nbd_diag(d, NBD_E_IN_USE,
				"module %s is in use: disconnect its devices "
				"first",
				name);
	return nbd_diag(d, errno == EPERM ? NBD_E_PERM : NBD_E_KERNEL,
			"unload %s: %s", name, strerror(errno));
}
