/* SPDX-License-Identifier: BSD-2-Clause */
/* Which module claims a device: patterns, and the lines of modules.alias. */
#ifndef PORT_LINUX_MODULE_ALIAS_H
#define PORT_LINUX_MODULE_ALIAS_H

#include "port/port.h"

/* - and _ in a name are equivalent. */
static inline char mod_norm(char c)
{
	return c == '-' ? '_' : c;
}

/* Does text match a pattern of * ? [a-z] [!a-z]?  - and _ are equivalent. */
bool mod_match(const char *pattern, size_t len, const char *text);

/*
 * Narrows the len bytes at *lines, a file modules.alias, to whole lines among
 * which are all that match an alias.  A file whose first line is "# by bus" has
 * its lines in the bytewise order of their buses, with _ for -: those of one bus
 * remain.  The bus is the text of a pattern before the first of : * ? [ (as in
 * "acpi*:PNP0303:*").  Of another file all remain.
 */
#ifdef CONFIG_BOOT_IMAGE
void mod_alias_narrow(const char **lines, size_t *len, const char *alias);
#else
/* A program for few drivers matches them all. */
static inline void mod_alias_narrow(const char **lines, size_t *len,
				    const char *alias)
{
	(void)lines, (void)len, (void)alias;
}
#endif

#endif
