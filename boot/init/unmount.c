/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the list of mounts from its end: children come behind their parents. */
#include "boot/init/unmount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include "boot/system/console.h"
#include "port/linux/file.h"

/* Decodes backslashes with three octal digits, in place. */
static void unescape(char *p)
{
	char *out = p;

	while (*p) {
		if (p[0] == '\\' && strspn(p + 1, "01234567") >= 3) {
			*out++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 |
					(p[3] - '0'));
			p += 4;
		} else {
			*out++ = *p++;
		}
	}
	*out = '\0';
}

char *init_unmount_next(char *text, size_t *len)
{
	size_t end = *len, begin;
	char *p;
	int field;

	while (end && text[end - 1] != '\n')
		end--;
	if (!end)
		return NULL;
	for (begin = --end; begin && text[begin - 1] != '\n'; begin--)
		;
	*len = begin;
	text[end] = '\0';
	p = text + begin;
	for (field = 1; field < 5; field++) {
		p += strcspn(p, " ");
		p += *p == ' ';
	}
	p[strcspn(p, " ")] = '\0';
	unescape(p);
	return p;
}

/* The kernel's file systems stay, and with `kernel` only they themselves. */
static bool stays(const char *path, bool kernel)
{
	static const char *const ours[] = { "/dev", "/proc", "/sys" };
	size_t i, n;

	if (*path != '/' || !path[1])
		return true;
	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		n = strlen(ours[i]);
		if (!strncmp(path, ours[i], n) &&
		    (!path[n] || (!kernel && path[n] == '/')))
			return true;
	}
	return false;
}

static size_t read_list(char *buf, size_t cap)
{
	static const char mounts[] = "/proc/self/mountinfo";
	int n = file_read(AT_FDCWD, mounts, buf, cap);

	if (n < 0)
		boot_say("%s: %s", mounts, strerror(errno));
	return n < 0 ? 0 : (size_t)n;
}

/* A file system in RAM has nothing to lose, and this program may be in it. */
static bool is_in_ram(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && ((unsigned long)fs.f_type == TMPFS_MAGIC ||
				      (unsigned long)fs.f_type == RAMFS_MAGIC);
}

/* Returns how many are left; *any: at least one was unmounted. */
static unsigned pass(bool *any, bool last, bool kernel)
{
	/* the rest of a longer list is read after this part is unmounted */
	static char list[65536];
	size_t len = read_list(list, sizeof(list));
	unsigned left = 0;
	char *path;

	*any = false;
	while ((path = init_unmount_next(list, &len))) {
		if (stays(path, kernel))
			continue;
		if (!umount2(path, UMOUNT_NOFOLLOW)) {
			*any = true;
			continue;
		}
		if (is_in_ram(path))
			continue;
		left++;
		if (!last)
			continue;
		boot_say("unmount %s: %s: left read-only", path,
			 strerror(errno));
		mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY, NULL);
	}
	return left;
}

unsigned init_unmount_all(bool last, bool kernel)
{
	unsigned left;
	bool any;

	do
		left = pass(&any, false, kernel);
	while (left && any);
	return left && last ? pass(&any, true, kernel) : left;
}
