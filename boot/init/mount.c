/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounting with the options of mount(8), and the modules that it needs. */
#include "boot/init/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/content.h"
#include "boot/init/odd.h"
#include "boot/system/console.h"
#include "port/linux/module.h"

bool init_mount_is_mounted(const char *path)
{
	struct stat root, st;

	return !stat("/", &root) && !stat(path, &st) &&
	       st.st_dev != root.st_dev;
}

int init_mount_kernel(struct nbd_diag *d)
{
	static const struct {
		const char *where, *type, *data;
		unsigned long flags;
	} fs[] = {
		{ "/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
		{ "/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
		{ "/dev", "devtmpfs", "mode=755", MS_NOSUID },
		{ "/run", "tmpfs", "mode=755",
		  MS_NOSUID | MS_NODEV | MS_STRICTATIME },
	};
	size_t i;

	for (i = 0; i < sizeof(fs) / sizeof(fs[0]); i++) {
		mkdir(fs[i].where, 0755);
		/* another program may have mounted it already */
		if (init_mount_is_mounted(fs[i].where))
			continue;
		if (mount(fs[i].type, fs[i].where, fs[i].type, fs[i].flags,
			  fs[i].data))
			return nbd_diag(d, NBD_E_KERNEL, "mount %s on %s: %s",
					fs[i].type, fs[i].where,
					strerror(errno));
	}
	return NBD_OK;
}

int init_mount_move(const char *from, const char *to)
{
	int rc = mount(from, to, NULL, MS_MOVE, NULL);

	if (!rc || errno != EINVAL)
		return rc;
	rc = mount(from, to, NULL, MS_BIND, NULL);
	return rc ? rc : umount2(from, MNT_DETACH);
}

dev_t init_mount_device(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_dev;
}

void init_mount_undo(const char *path, dev_t before)
{
	if (!before || init_mount_device(path) != before)
		umount2(path, MNT_DETACH);
}

/*
 * A flag such as MS_RDONLY has two words: one sets it, one clears it.  An empty
 * word finds the first line.
 */
static const struct option {
	const char *set, *clear;
	unsigned long flag;
} options[] = {
	{ "", "defaults", 0 },
	{ "ro", "rw", MS_RDONLY },
	{ "nosuid", "suid", MS_NOSUID },
	{ "nodev", "dev", MS_NODEV },
	{ "noexec", "exec", MS_NOEXEC },
	{ "sync", "async", MS_SYNCHRONOUS },
	{ "dirsync", "", MS_DIRSYNC },
	{ "noatime", "atime", MS_NOATIME },
	{ "nodiratime", "diratime", MS_NODIRATIME },
	{ "relatime", "norelatime", MS_RELATIME },
	{ "strictatime", "nostrictatime", MS_STRICTATIME },
	{ "lazytime", "nolazytime", 1ul << 25 },
};

/* Bytes of rootflags=. */
#define INIT_MOUNT_DATA 1024

static bool is_word(const char *word, const char *p, size_t len)
{
	return strlen(word) == len && !memcmp(word, p, len);
}

static bool take_flag(const char *p, size_t len, unsigned long *flags)
{
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (is_word(options[i].set, p, len)) {
			*flags |= options[i].flag;
			return true;
		}
		if (is_word(options[i].clear, p, len)) {
			*flags &= ~options[i].flag;
			return true;
		}
	}
	return false;
}

/*
 * Words of fstab(5) that say when and by whom something is mounted: mount(8)
 * and systemd keep them, the kernel would refuse them.
 */
static bool is_fstabs(const char *p, size_t len)
{
	static const char words[][8] = { "_netdev", "auto",  "noauto", "nofail",
					 "user",    "users", "nouser", "owner",
					 "noowner", "group" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_word(words[i], p, len))
			return true;
	return !strncmp(p, "x-", 2) || !strncmp(p, "X-", 2) ||
	       !strncmp(p, "comment=", 8);
}

int init_mount_options(const char *text, unsigned long *flags, char *data,
		       size_t cap)
{
	struct nbd_out o = { .buf = data, .cap = cap - 1 };

	while (*text) {
		bool quoted = false;
		size_t n;

		for (n = 0; text[n] && (quoted || text[n] != ','); n++)
			if (text[n] == '"')
				quoted = !quoted;
		/* an empty word matches "", which changes nothing */
		if (!take_flag(text, n, flags) && !is_fstabs(text, n)) {
			if (o.len)
				nbd_put(&o, ",", 1);
			nbd_put(&o, text, n);
		}
		text += n + (text[n] == ',');
	}
	data[o.len] = '\0';
	return o.cut ? NBD_E_NO_MEMORY : NBD_OK;
}

/* ENODEV means that the module is missing; then d has the reason for that. */
static int try_type(const struct root_fs *r, const char *type,
		    unsigned long flags, const char *data, struct nbd_diag *d)
{
	int loaded = mod_load(type, "", d);

	if (!mount(r->dev, r->target, type, flags, data))
		return NBD_OK;
	if (errno != ENODEV || loaded >= 0)
		nbd_diag(d, 0, "%s%s", strerror(errno),
			 init_odd_sectors(r->dev, errno));
	return nbd_diag_prefix(d, loaded < 0 ? loaded : NBD_E_KERNEL,
			       "mount %s as %s (%s%s%s)", r->dev, type,
			       flags & MS_RDONLY ? "ro" : "rw",
			       *data ? "," : "", data);
}

/* errno is that of the failure, also afterwards. */
static int try_unclean(const struct root_fs *r, const char *type,
		       unsigned long flags, const char *data)
{
	int err = errno;
	const char *word = init_odd_unclean(type, err);
	char with[INIT_MOUNT_DATA + 24];
	struct nbd_diag other;

	if (!word)
		return NBD_E_KERNEL;
	nbd_fmt(with, sizeof(with), "%s%s%s", data, *data ? "," : "", word);
	/* if that is not the reason, the first failure says more */
	if (try_type(r, type, flags, with, &other)) {
		errno = err;
		return NBD_E_KERNEL;
	}
	boot_say("%s was not unmounted, and cannot be written: mounted without "
		 "its journal (%s), so that recent changes may be missing or "
		 "torn; repair the image on its server",
		 r->dev, word);
	return NBD_OK;
}

static int try_write(const struct root_fs *r, const char *type,
		     unsigned long flags, const char *data, bool *fell_back,
		     struct nbd_diag *d)
{
	int rc = try_type(r, type, flags, data, d);

	*fell_back = false;
	if (rc && !(flags & MS_RDONLY) && (errno == EROFS || errno == EACCES)) {
		flags |= MS_RDONLY;
		rc = try_type(r, type, flags, data, d);
		*fell_back = true;
	}
	if (rc && flags & MS_RDONLY && !try_unclean(r, type, flags, data))
		rc = NBD_OK;
	*fell_back &= !rc;
	return rc;
}

int init_mount_probe(struct super *s, const char *dev, bool root,
		     struct nbd_diag *d)
{
	int fd = open(dev, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? NBD_E_IO : init_super_read(s, fd);

	if (rc == NBD_E_NOT_FOUND)
		init_content_wrong(fd, dev, root, d);
	else if (rc)
		nbd_diag(d, rc, "read %s: %s", dev, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

/* One type after the other, of which each says why it fails. */
static int try_list(const struct root_fs *r, const char *list,
		    unsigned long flags, const char *data, bool *fell_back,
		    struct nbd_diag *d)
{
	struct nbd_diag before;
	char type[32];
	int rc = NBD_OK;

	before.text[0] = '\0';
	while (*list) {
		size_t n = strcspn(list, ",");

		rc = nbd_fmt(type, sizeof(type), "%.*s", (int)n, list) < 0
			     ? nbd_diag(d, NBD_E_USAGE, "%sfstype=%s: too long",
					r->word ? r->word : "", list)
			     : try_write(r, type, flags, data, fell_back, d);
		list += n + (list[n] == ',');
		if (!rc)
			break;
		if (before.text[0])
			nbd_diag_prefix(d, rc, "%s", before.text);
		before = *d;
	}
	return rc;
}

int init_mount_root(const struct root_fs *r, bool *fell_back,
		    struct nbd_diag *d)
{
	unsigned long flags = r->write ? 0 : MS_RDONLY;
	const char *list = r->fstype, *word = r->word ? r->word : "";
	char data[INIT_MOUNT_DATA];
	struct super s;
	int rc;

	mkdir(r->target, 0755);
	if (init_mount_options(r->options ? r->options : "", &flags, data,
			       sizeof(data)))
		return nbd_diag(d, NBD_E_USAGE,
				"%sflags=: longer than %d bytes", word,
				(int)sizeof(data) - 1);
	if (!list || !*list || !strcmp(list, "auto")) {
		rc = init_mount_probe(&s, r->dev, *word == 'r', d);
		if (rc)
			return rc;
		list = s.type;
	}
	return try_list(r, list, flags, data, fell_back, d);
}
