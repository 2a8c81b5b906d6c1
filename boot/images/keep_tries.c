/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two places.  The file of a variable in efivarfs begins with its
 * attributes, and Linux makes it immutable, so that no rm -rf can brick a
 * machine: the flag is taken away for the write.
 */
#include "boot/images/keep_tries.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "port/linux/file.h"
#include "port/linux/request.h"

#define ATTRIBUTES 4
/* non-volatile, and to be seen while booting and at run time */
#define KEPT	   7

/* ---- the variable ---- */

static int open_efi(struct images_keeper *k, const char *dir,
		    struct nbd_diag *d)
{
	/* the kernel loads the module; EBUSY: it is mounted already */
	bool ours = !mount("efivarfs", dir, "efivarfs",
			   MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);

	k->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* the descriptor keeps it */
	if (ours)
		umount2(dir, MNT_DETACH);
	return k->dir < 0 ? nbd_diag(d, NBD_E_NOT_FOUND, "%s: %s", dir,
				     strerror(errno))
			  : NBD_OK;
}

static void set_immutable(int dir, bool yes)
{
	int fd = openat(dir, IMAGES_EFI_NAME, O_RDONLY | O_CLOEXEC), flags;

	if (fd < 0)
		return;
	if (!ioctl(fd, LINUX_REQUEST(FS_IOC_GETFLAGS), &flags)) {
		flags = yes ? flags | FS_IMMUTABLE_FL
			    : flags & ~FS_IMMUTABLE_FL;
		ioctl(fd, LINUX_REQUEST(FS_IOC_SETFLAGS), &flags);
	}
	close(fd);
}

static int read_efi(const struct images_keeper *k, char text[IMAGES_TEXT],
		    struct nbd_diag *d)
{
	char buf[ATTRIBUTES + IMAGES_TEXT + 1];
	int n = file_read(k->dir, IMAGES_EFI_NAME, buf, sizeof(buf));

	memset(text, 0, IMAGES_TEXT);
	if (n > ATTRIBUTES)
		memcpy(text, buf + ATTRIBUTES, (size_t)n - ATTRIBUTES);
	return n < 0 && errno != ENOENT
		       ? nbd_diag(d, n, "read the variable: %s",
				  strerror(errno))
		       : NBD_OK;
}

static int write_efi(const struct images_keeper *k, const char *text,
		     struct nbd_diag *d)
{
	char buf[ATTRIBUTES + IMAGES_TEXT] = { KEPT };
	size_t len = strnlen(text, IMAGES_TEXT);
	ssize_t n;
	int fd, rc;

	memcpy(buf + ATTRIBUTES, text, len);
	set_immutable(k->dir, false);
	/* no O_TRUNC: a variable is replaced by one write, and whole */
	fd = openat(k->dir, IMAGES_EFI_NAME, O_WRONLY | O_CREAT | O_CLOEXEC,
		    0644);
	n = fd < 0 ? -1 : write(fd, buf, ATTRIBUTES + len);
	rc = n == (ssize_t)(ATTRIBUTES + len)
		     ? NBD_OK
		     : nbd_diag(d, NBD_E_IO, "write the variable: %s",
				strerror(errno));
	if (fd >= 0)
		close(fd);
	set_immutable(k->dir, true);
	return rc;
}

/* ---- the export: a connection that was idle may be gone, so try it twice ---- */

static int reopen(struct images_keeper *k, struct nbd_diag *d)
{
	return k->t.open ? NBD_OK : images_text_open(&k->t, &k->uri, d);
}

static int read_export(struct images_keeper *k, char text[IMAGES_TEXT],
		       struct nbd_diag *d)
{
	char block[4096];
	bool idle = k->t.open;
	int n = reopen(k, d);

	if (!n)
		n = images_text_read(&k->t, block, sizeof(block), d);
	if (n < 0 && idle && !k->t.open)
		return read_export(k, text, d);
	if (n < IMAGES_TEXT)
		return n < 0 ? n
			     : nbd_diag(d, NBD_E_RANGE,
					"the export has less than %d bytes",
					IMAGES_TEXT);
	memcpy(text, block, IMAGES_TEXT);
	return NBD_OK;
}

static int write_export(struct images_keeper *k, const char *text,
			struct nbd_diag *d)
{
	bool idle = k->t.open;
	int rc = reopen(k, d);

	if (!rc)
		rc = images_text_write(&k->t, text, IMAGES_TEXT, d);
	return rc && idle && !k->t.open ? write_export(k, text, d) : rc;
}

/* ---- both ---- */

int images_keeper_open(struct images_keeper *k, const char *uri,
		       const char *dir, struct nbd_diag *d)
{
	int rc;

	memset(k, 0, sizeof(*k));
	k->dir = -1;
	if (!uri)
		rc = open_efi(k, dir, d);
	else if (nbd_uri_parse(&k->uri, k->text, sizeof(k->text), uri))
		rc = nbd_diag(d, NBD_E_URI, "%s: %s", uri, k->uri.wrong);
	else
		rc = images_text_open(&k->t, &k->uri, d);
	k->known = !rc;
	return rc;
}

int images_keeper_read(struct images_keeper *k, struct images_tries *t,
		       struct nbd_diag *d)
{
	char text[IMAGES_TEXT];
	int rc = k->dir < 0 ? read_export(k, text, d) : read_efi(k, text, d);

	d->text[rc ? strlen(d->text) : 0] = '\0';
	if (!rc && images_tries_parse(t, text))
		nbd_diag(d, 0,
			 "what was kept of images is no such text, and "
			 "counts as nothing");
	return rc;
}

int images_keeper_write(struct images_keeper *k, const struct images_tries *t,
			struct nbd_diag *d)
{
	char text[IMAGES_TEXT];

	images_tries_print(t, text);
	return k->dir < 0 ? write_export(k, text, d) : write_efi(k, text, d);
}

void images_keeper_close(struct images_keeper *k)
{
	if (k->dir >= 0)
		close(k->dir);
	k->dir = -1;
	images_text_close(&k->t);
	k->known = false;
}
