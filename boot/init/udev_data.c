/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of udev's database for mappings, of which the real system has no event. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/init/layers.h"
#include "boot/system/console.h"
#include "port/linux/dir.h"
#include "port/linux/file.h"

static const char flag[] = "E:DM_UDEV_PRIMARY_SOURCE_FLAG=1\n";

static void tell(const struct layers *l, const char *name, const char *data)
{
	char path[300], number[32];

	if (nbd_fmt(path, sizeof(path), "%s/%s/dev", l->sys, name) < 0)
		return;
	file_read(AT_FDCWD, path, number, sizeof(number));
	number[strcspn(number, "\n")] = '\0';
	nbd_fmt(path, sizeof(path), "%s/b%s", data, number);
	if (!*number || file_save(AT_FDCWD, path, flag, sizeof(flag) - 1))
		boot_say("udev will not know %s: %s cannot be written", name,
			 path);
}

void init_udev_tell(const struct layers *l, const char *data)
{
	struct dir dir;
	const char *name;

	if (!dir_open(&dir, l->sys))
		while ((name = dir_next(&dir)))
			if (!strncmp(name, "dm-", 3) &&
			    init_layers_above(l, name))
				tell(l, name, data);
	dir_close(&dir);
}

void init_udev_forget(const char *data)
{
	char text[sizeof(flag) + 1];
	struct dir dir;
	const char *name;

	if (!dir_open(&dir, data))
		while ((name = dir_next(&dir)))
			if (*name == 'b' &&
			    file_read(dir.fd, name, text, sizeof(text)) > 0 &&
			    !strcmp(text, flag))
				unlinkat(dir.fd, name, 0);
	dir_close(&dir);
}
