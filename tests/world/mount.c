/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/mount.h"

#include <string.h>
#include <sys/mount.h>

int __wrap_mount(const char *from, const char *to, const char *type,
		 unsigned long flags, const void *data);
int __wrap_umount(const char *path);
int __wrap_umount2(const char *path, int flags);

static const struct {
	unsigned long flag;
	const char *name;
} names[] = {
	{ MS_REMOUNT, "remount" }, { MS_BIND, "bind" },
	{ MS_MOVE, "move" },	   { MS_REC, "rec" },
	{ MS_PRIVATE, "private" }, { MS_RDONLY, "ro" },
	{ MS_NOSUID, "nosuid" },   { MS_NODEV, "nodev" },
	{ MS_NOEXEC, "noexec" },   { MS_NOATIME, "noatime" },
};

int __wrap_mount(const char *from, const char *to, const char *type,
		 unsigned long flags, const void *data)
{
	char options[512] = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (flags & names[i].flag)
			world_note(options, sizeof(options), ",%s",
				   names[i].name);
		flags &= ~names[i].flag;
	}
	if (flags)
		world_fail("a mount with the flags 0x%lx", flags);
	if (data && *(const char *)data)
		world_note(options, sizeof(options), ",%s", (const char *)data);
	return world_does("mount%s%s%s%s%s%s %s", type ? " -t " : "",
			  type ? type : "", *options ? " -o " : "",
			  *options ? options + 1 : "", from ? " " : "",
			  from ? from : "", to);
}

int __wrap_umount(const char *path)
{
	return __wrap_umount2(path, 0);
}

int __wrap_umount2(const char *path, int flags)
{
	if (flags & ~MNT_DETACH)
		world_fail("umount2() of %s with the flags 0x%x", path, flags);
	return world_does("umount %s%s", flags ? "-l " : "", path);
}
