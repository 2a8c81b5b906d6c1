/* SPDX-License-Identifier: BSD-2-Clause */
/* The lease of the root's address, between the boot and its renewal. */
#include "boot/net/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/linux/file.h"

/* The lease is stored as it is in memory, for the same program to read. */
#define MAGIC (0x6e626437 ^ sizeof(struct net_kept))

struct file {
	uint64_t magic;
	struct net_kept kept;
};

int net_kept_save(int run, const char *path, const void *data, size_t len,
		  struct nbd_diag *d)
{
	int rc = run < 0 ? run : file_save(run, path, data, len);

	return rc ? nbd_diag(d, NBD_E_IO, "write /run/%s: %s", path,
			     run < 0 ? nbd_err_text(run) : strerror(errno))
		  : NBD_OK;
}

int net_kept_write(int run, const struct net_state *s, const struct dhcp *dhcp,
		   struct nbd_diag *d)
{
	struct file f = { .magic = MAGIC, .kept.index = s->index };
	struct net_kept *k = &f.kept;
	const char *path = &KEPT_STATE[sizeof("/run")];

	if (!s->dhcp && !s->lease6) {
		unlinkat(run, path, 0);
		return NBD_OK;
	}
	memcpy(k->name, s->name, sizeof(k->name));
	memcpy(k->local, s->local.ip, sizeof(k->local));
	if (s->lease6)
		k->lease6 = *s->lease6;
	else
		k->dhcp = *dhcp;
	return net_kept_save(run, path, &f, sizeof(f), d);
}

int net_kept_read(int run, struct net_kept *k, struct nbd_diag *d)
{
	struct file f;
	int fd = openat(run, &KEPT_STATE[sizeof("/run")], O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, &f, sizeof(f));

	if (fd >= 0)
		close(fd);
	if (n != sizeof(f) || f.magic != MAGIC)
		return nbd_diag(d, NBD_E_NOT_FOUND, KEPT_STATE ": %s",
				n < 0 ? strerror(errno)
				      : "not of this version of nbdboot");
	*k = f.kept;
	return NBD_OK;
}

struct link_addr net_kept_addr(const struct net_kept *k)
{
	bool six = net_lease6_begun(&k->lease6);
	struct link_addr a = { .family = six ? AF_INET6 : AF_INET };

	if (six)
		memcpy(a.ip, k->lease6.lease.addr, 16);
	else
		memcpy(a.ip, k->dhcp.lease.addr, 4);
	return a;
}

uint64_t net_kept_bound(const struct net_kept *k)
{
	return net_lease6_begun(&k->lease6) ? k->lease6.bound : k->dhcp.bound;
}

uint32_t net_kept_seconds(const struct net_kept *k)
{
	return net_lease6_begun(&k->lease6) ? k->lease6.lease.valid
					    : k->dhcp.lease.seconds;
}
