/* SPDX-License-Identifier: BSD-2-Clause */
/* Credentials of a POSIX system: files, and random numbers of the kernel. */
#include "port/credentials.h"
#include "port/posix/open.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/*
 * Holds one file at a time while it is parsed, then it is wiped.  Static,
 * because a system's CA bundle has 200 to 500 KiB: too much for the stack.
 */
static char file[1024 * 1024 + 1];
static size_t file_len;

int creds_read(const char *path, bool secret, char **text, struct nbd_diag *d)
{
	const char *why;
	struct stat st;
	int fd = open_plain(path, &st, &why);
	ssize_t n = -1;

	creds_wipe();
	if (fd < 0)
		return nbd_diag(d, NBD_E_CREDENTIAL, "open %s: %s", path, why);
	/* refused as ssh does: others may have read it already */
	if (secret && st.st_mode & 066) {
		close(fd);
		return nbd_diag(d, NBD_E_CREDENTIAL,
				"%s: other users can read or change this "
				"secret (chmod 600 %s)",
				path, path);
	}
	while (file_len < sizeof(file) - 1) {
		n = read(fd, file + file_len, sizeof(file) - 1 - file_len);
		if (n > 0)
			file_len += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	file[file_len] = '\0';
	*text = file;
	if (n < 0)
		nbd_diag(d, NBD_E_CREDENTIAL, "read %s: %s", path,
			 strerror(errno));
	else if (n > 0)
		nbd_diag(d, NBD_E_CREDENTIAL, "read %s: larger than %zu bytes",
			 path, sizeof(file) - 2);
	/* the caller wipes what it got */
	if (n)
		creds_wipe();
	close(fd);
	return n ? NBD_E_CREDENTIAL : (int)file_len;
}

bool creds_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

void creds_wipe(void)
{
	explicit_bzero(file, file_len);
	file_len = 0;
}

const char *creds_system_ca(void)
{
	static const char *const path[] = {
		"/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch */
		"/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora */
		"/etc/ssl/cert.pem",		      /* Alpine */
		"/etc/ssl/ca-bundle.pem",	      /* SUSE */
	};

	for (unsigned i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (access(path[i], R_OK) == 0)
			return path[i];
	return NULL;
}

bool creds_random(unsigned char *p, size_t len)
{
	while (len) {
		ssize_t n = getrandom(p, len, 0);

		if (n < 0 && errno != EINTR)
			return false;
		if (n < 0)
			continue;
		p += n;
		len -= (size_t)n;
	}
	return true;
}
