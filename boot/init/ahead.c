/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module takes the kernel long: it is hashed, its signature checked, and
 * ext4 has 2 MB.  Nobody needs that CPU while the network comes up.
 */
#include "boot/init/ahead.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/init/super.h"
#include "port/linux/module.h"

static pid_t child;

static void load_fs(const char *fstype)
{
	const char *type, *only = NULL;
	char name[32];

	if (fstype && *fstype) {
		if (nbd_fmt(name, sizeof(name), "%.*s",
			    (int)strcspn(fstype, ","), fstype) > 0)
			mod_load(name, "", NULL);
		return;
	}
	for (unsigned i = 0; (type = super_type(i)); i++) {
		if (!mod_listed(type) || (only && !strcmp(only, type)))
			continue;
		if (only)
			return;
		only = type;
	}
	if (only)
		mod_load(only, "", NULL);
}

void ahead_start(const char *fstype)
{
	if (child > 0)
		return;
	child = _Fork(); /* fork() brings locks for threads along */
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mod_load("nbd", "", NULL);
	load_fs(fstype);
	_exit(0);
}

void ahead_wait(void)
{
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	child = 0;
}
