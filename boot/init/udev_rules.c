/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the mapping of a root is made of has the blocks of the root, and so its UUID
 * and label.  udev must not take it for the root, nor read it.
 */
#include "boot/init/prefetch.h"

#include <fcntl.h>

#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "port/linux/file.h"

/* Before those of dmsetup(8), which begin with 10. */
#define FILE_NAME     "/run/udev/rules.d/09-nbdboot.rules"
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

void init_udev_hide(void)
{
	if (file_save(AT_FDCWD, FILE_NAME, rules, sizeof(rules) - 1))
		boot_note("udev will look at copies of the root: " FILE_NAME
			  " cannot be written");
}
