/* SPDX-License-Identifier: BSD-2-Clause */
#include "port/linux/tpm_device.h"
#include "core/be.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "port/linux/file.h"

/*
 * For a response.  The kernel ends each command of a TPM after minutes at the
 * most (TPM2_DURATION_LONG_LONG); a socket would wait for ever.
 */
#define PATIENCE_MS 300000

/* No SIGPIPE by a socket that was closed: the user is to read why. */
static ssize_t put(int fd, const void *p, size_t len)
{
	ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

	return n < 0 && errno == ENOTSOCK ? write(fd, p, len) : n;
}

static int transmit(struct tpm *t, size_t len)
{
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	size_t have = 0;
	ssize_t n;

	if (put(t->fd, t->message, len) != (ssize_t)len)
		return NBD_E_IO;
	/* The device gives all at once; a socket may not. */
	/* the header of a response has its length */
	while (have < 6 || have < be32(t->message + 2)) {
		if (have == sizeof(t->message))
			return NBD_E_LENGTH;
		if (poll(&p, 1, PATIENCE_MS) != 1)
			return NBD_E_TIMEOUT;
		n = read(t->fd, t->message + have, sizeof(t->message) - have);
		if (n <= 0)
			return NBD_E_IO;
		have += (size_t)n;
	}
	return (int)have;
}

static int open_socket(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	int fd;

	if (len >= sizeof(a.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(a.sun_path, path, len);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a))) {
		int err = errno;

		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

int tpm_open(struct tpm *t, const char *path, struct nbd_diag *d)
{
	struct stat st;
	int rc;

	path = path ? path : TPM_DEVICE;
	memset(t, 0, sizeof(*t));
	t->transmit = transmit;
	t->fd = -1;
	if (stat(path, &st))
		;
	else if (S_ISSOCK(st.st_mode))
		t->fd = open_socket(path);
	else if (S_ISCHR(st.st_mode))
		t->fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);
	else
		return nbd_diag(d, NBD_E_NO_DEVICE, "%s is no TPM", path);
	if (t->fd >= 0)
		return NBD_OK;
	rc = file_error(errno);
	return nbd_diag(d, rc, "open %s: %s", path,
			rc == NBD_E_NOT_FOUND ? "this machine shows no TPM 2.0"
					      : strerror(errno));
}

void tpm_close(struct tpm *t)
{
	explicit_bzero(t->message, sizeof(t->message));
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}
