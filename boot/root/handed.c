/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable of the firmware, by efivarfs. */
#include "boot/root/handed.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>

#include "boot/words/root.h"
#include "port/linux/file.h"

#define DIR	   "/sys/firmware/efi/efivars"
#define NAME	   "NbdBootLease-9bd1b1c7-2b4a-4e0d-8a57-6e6264626f6f"
#define CURRENT	   "BootCurrent-8be4df61-93ca-11d2-aa0d-00e098032b8c"
/* The file begins with the variable's attributes. */
#define ATTRIBUTES 4
#define BOOT	   2
#define RUNTIME	   4

bool root_handed_fits(const char *file, size_t len, long current)
{
	/* one that the operating system made would not be volatile */
	static const char attributes[ATTRIBUTES] = { BOOT | RUNTIME };
	char mark[16] = "";

	if (current >= 0)
		nbd_fmt(mark, sizeof(mark), "boot=%04x", (unsigned)current);
	if (len <= ATTRIBUTES || memcmp(file, attributes, ATTRIBUTES) != 0)
		return false;
	file += ATTRIBUTES;
	file += strcspn(file, "\n");
	return !strcmp(*file ? file + 1 : file, mark);
}

/* The number of the boot entry that the firmware has started; -1: none. */
static long read_current(void)
{
	unsigned char buf[ATTRIBUTES + 3];
	int n = file_read(AT_FDCWD, DIR "/" CURRENT, (char *)buf, sizeof(buf));

	return n == ATTRIBUTES + 2 ? buf[ATTRIBUTES] | buf[ATTRIBUTES + 1] << 8
				   : -1;
}

/* Reads the variable's text, one line; false: there is none of this boot. */
static bool read_variable(char *buf, size_t cap)
{
	/* the kernel loads the module; EBUSY: it is mounted already */
	bool ours = !mount("efivarfs", DIR, "efivarfs",
			   MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	int n = file_read(AT_FDCWD, DIR "/" NAME, buf, cap);
	bool fits = n > 0 && root_handed_fits(buf, (size_t)n, read_current());

	if (ours)
		umount(DIR);
	if (fits)
		buf[ATTRIBUTES + strcspn(buf + ATTRIBUTES, "\n")] = '\0';
	return fits;
}

int root_handed_join(char to[CMDLINE_MAX], const char *handed,
		     const struct cmdline *c)
{
	const char *ip = c->ip ? strstr(handed, " ip=") : NULL;
	int len = (int)(ip ? (size_t)(ip - handed) : strcspn(handed, "\n"));

	return nbd_fmt(to, CMDLINE_MAX, "%.*s %s", len, handed, c->line) < 0
		       ? NBD_E_NO_MEMORY
		       : NBD_OK;
}

int root_handed(struct cmdline *c, struct nbd_diag *d)
{
	char text[2048], line[CMDLINE_MAX];
	int err;

	if (root_named(c) || !read_variable(text, sizeof(text)))
		return NBD_OK;
	if (root_handed_join(line, text + ATTRIBUTES, c))
		return nbd_diag(d, NBD_E_USAGE,
				"the firmware's words and the kernel command "
				"line: longer than %d bytes",
				CMDLINE_MAX - 1);
	err = boot_cmdline_parse(c, line, d);
	c->handed = true;
	return err ? err
		   : nbd_diag(d, 1,
			      "root and address are those of nbdboot.efi: %s",
			      text + ATTRIBUTES);
}
