/* SPDX-License-Identifier: BSD-2-Clause */
/* The lease of the root's address, between the boot and its renewal. */
#include "boot/net/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "port/linux/file.h"

/* The lease is stored as it is in memory, for the same program to read. */
#define MAGIC  (0x6e626400 ^ sizeof(struct dhcp))
#define MAGIC6 (0x6e626436 ^ sizeof(struct net_kept6))

struct kept {
	uint64_t magic;
	char name[16];
	struct dhcp dhcp;
};

struct kept6 {
	uint64_t magic;
	struct net_kept6 kept;
};

int net_kept_save(int run, const char *path, const void *data, size_t len,
		  struct nbd_diag *d)
{
	int rc = run < 0 ? run : file_save(run, path, data, len);

	return rc ? nbd_diag(d, NBD_E_IO, "write /run/%s: %s", path,
			     run < 0 ? nbd_err_text(run) : strerror(errno))
		  : NBD_OK;
}

static int write_lease6(int run, const struct net_state *s, struct nbd_diag *d)
{
	struct kept6 k = { .magic = MAGIC6, .kept.index = s->index };

	memcpy(k.kept.name, s->name, sizeof(k.kept.name));
	memcpy(k.kept.local, s->local.ip, sizeof(k.kept.local));
	k.kept.lease6 = *s->lease6;
	return net_kept_save(run, &KEPT_STATE6[sizeof("/run")], &k, sizeof(k),
			     d);
}

int net_kept_write(int run, const struct net_state *s, const struct dhcp *dhcp,
		   struct nbd_diag *d)
{
	struct kept k = { .magic = MAGIC };

	/* of an earlier try, or of another interface */
	if (!s->dhcp)
		unlinkat(run, &KEPT_STATE[sizeof("/run")], 0);
	if (!s->lease6)
		unlinkat(run, &KEPT_STATE6[sizeof("/run")], 0);
	if (s->lease6)
		return write_lease6(run, s, d);
	if (!s->dhcp)
		return NBD_OK;
	memcpy(k.name, s->name, sizeof(k.name));
	k.dhcp = *dhcp;
	return net_kept_save(run, &KEPT_STATE[sizeof("/run")], &k, sizeof(k),
			     d);
}

/* Reads and closes the file; both begin with their magic. */
static int read_kept(int fd, const char *path, void *kept, size_t len,
		     uint64_t magic, struct nbd_diag *d)
{
	ssize_t n = fd < 0 ? -1 : read(fd, kept, len);

	if (fd >= 0)
		close(fd);
	if (n != (ssize_t)len || memcmp(kept, &magic, sizeof(magic)) != 0)
		return nbd_diag(d, NBD_E_NOT_FOUND, "%s: %s", path,
				n < 0 ? strerror(errno)
				      : "not of this version of nbdboot");
	return NBD_OK;
}

int net_kept_read6(int run, struct net_kept6 *kept, struct nbd_diag *d)
{
	struct kept6 k;
	int fd =
		openat(run, &KEPT_STATE6[sizeof("/run")], O_RDONLY | O_CLOEXEC);
	int rc = read_kept(fd, KEPT_STATE6, &k, sizeof(k), MAGIC6, d);

	if (!rc)
		*kept = k.kept;
	return rc;
}

int net_kept_read(int run, char name[16], struct dhcp *dhcp, struct nbd_diag *d)
{
	struct kept k;
	int fd = openat(run, &KEPT_STATE[sizeof("/run")], O_RDONLY | O_CLOEXEC);
	int rc = read_kept(fd, KEPT_STATE, &k, sizeof(k), MAGIC, d);

	if (rc)
		return rc;
	memcpy(name, k.name, sizeof(k.name));
	*dhcp = k.dhcp;
	return NBD_OK;
}
