/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the mapping of a root is made of has the blocks of the root, and so its UUID
 * and label.  udev must not take it for the root, nor read it.
 */
#include "boot/init/prefetch.h"

#include <fcntl.h>
#include <string.h>

#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "port/linux/file.h"

/* Before those of dmsetup(8), which begin with 10. */
#define FILE_NAME     "/run/udev/rules.d/09-nbdboot.rules"
#define CACHE_NAME    "/run/udev/rules.d/09-nbdboot-cache.rules"
#define DISABLE(kind) "ENV{DM_UDEV_DISABLE_" kind "_RULES_FLAG}=\"1\""
#define HIDE	      "ENV{SYSTEMD_READY}=\"0\", "

/* The names are those of fetch.c and mapper.h: nothing in it is of a stranger. */
static const char rules[] =
	"SUBSYSTEM==\"block\", KERNEL==\"loop*\", "
	"ATTR{loop/backing_file}==\"/memfd:nbdboot*\", " HIDE
	"ENV{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}=\"1\"\n"
	"SUBSYSTEM==\"block\", KERNEL==\"dm-*\", "
	"ATTR{dm/name}==\"" MAPPER_PREFIX MAPPER_MIRROR
	"-*|" MAPPER_PREFIX MAPPER_CACHE "-*|" MAPPER_PREFIX MAPPER_FAR
	"-*\", " HIDE DISABLE("DISK") ", " DISABLE("OTHER") "\n";

static void save(const char *name, const char *text, const char *what)
{
	if (file_save(AT_FDCWD, name, text, strlen(text)))
		boot_note("udev will look at %s: %s cannot be written", what,
			  name);
}

void init_udev_hide(void)
{
	save(FILE_NAME, rules, "copies of the root");
}

/*
 * udev looks at all places of a disk where a file system might have a superblock,
 * of which those of ZFS alone are 1 MiB.  The mapping has the same blocks, as long
 * as it is made of the disk; a program that fails leaves it to udev's own rules.
 */
void init_udev_divert(const char *disk, const char *mapping)
{
	char text[320];

	if (nbd_fmt(text, sizeof(text),
		    "ACTION!=\"remove\", SUBSYSTEM==\"block\", "
		    "KERNEL==\"%s\", TEST==\"holders/%s\", "
		    "IMPORT{program}=\"/sbin/blkid -o udev -p /dev/%s\", "
		    "ENV{UDEV_DISABLE_PERSISTENT_STORAGE_BLKID_FLAG}=\"1\"\n",
		    disk, mapping, mapping) > 0)
		save(CACHE_NAME, text, disk);
}
