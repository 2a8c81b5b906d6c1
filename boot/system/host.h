/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of this machine. */
#ifndef BOOT_SYSTEM_HOST_H
#define BOOT_SYSTEM_HOST_H

#include <string.h>
#include <sys/utsname.h>

/* The name in u, as uname(2) filled it in; "" if nobody has set one. */
static inline const char *boot_host(const struct utsname *u)
{
	/* the kernel's default */
	return strcmp(u->nodename, "(none)") ? u->nodename : "";
}

#endif
