/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of the running kernel. */
#include "boot/words/cmdline.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "port/linux/file.h"

int boot_cmdline_read(struct cmdline *c, struct nbd_diag *d)
{
	char line[CMDLINE_MAX + 1];
	int n = file_read(AT_FDCWD, "/proc/cmdline", line, sizeof(line));

	if (n < 0)
		return nbd_diag(d, NBD_E_IO, "read /proc/cmdline: %s",
				strerror(errno));
	return boot_cmdline_parse(c, line, d);
}
