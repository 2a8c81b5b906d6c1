/* SPDX-License-Identifier: BSD-2-Clause */
/* Credentials: files, keys in them, and the names of certificates. */
#include "port/mbedtls/creds.h"
#include "core/nbd_uri.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Holds one file at a time while it is parsed, then it is wiped.  Static,
 * because a system's CA bundle has 200 to 500 KiB: too much for the stack.
 */
static char file[1024 * 1024 + 1];
static size_t file_len;

/* Refused as ssh does: others may have read the secret already. */
static bool is_open_to_others(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_mode & 066;
}

int creds_read(const char *path, bool secret, char **text, struct nbd_diag *d)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	creds_wipe();
	if (fd < 0)
		return nbd_diag(d, NBD_E_CREDENTIAL, "open %s: %s", path,
				strerror(errno));
	if (secret && is_open_to_others(fd)) {
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
	close(fd);
	return n ? NBD_E_CREDENTIAL : (int)file_len;
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

/* ---- pre-shared keys ---- */

static bool take_key(struct creds_psk *psk, const char *p, const char *e)
{
	psk->len = 0;
	for (; e - p >= 2; p += 2) {
		int byte = nbd_hex_byte(p);

		if (byte < 0 || psk->len == sizeof(psk->key))
			return false;
		psk->key[psk->len++] = (unsigned char)byte;
	}
	return p == e && psk->len;
}

/* Parses one line, without its newline. */
static bool take_line(struct creds_psk *psk, const char *p, const char *e,
		      const char *user)
{
	const char *colon = memchr(p, ':', (size_t)(e - p));
	size_t len = colon ? (size_t)(colon - p) : 0;

	if (e > p && e[-1] == '\r')
		e--;
	if (len == 0 || len > CREDS_USER_MAX || *p == '#')
		return false;
	if (*user && (strlen(user) != len || memcmp(p, user, len) != 0))
		return false;
	memcpy(psk->user, p, len);
	psk->user[len] = '\0';
	return take_key(psk, colon + 1, e);
}

bool creds_find_psk(struct creds_psk *psk, const char *text, size_t len,
		    const char *user)
{
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		const char *e = eol ? eol : end;

		if (take_line(psk, text, e, user))
			return true;
		text = eol ? eol + 1 : end;
	}
	explicit_bzero(psk, sizeof(*psk));
	return false;
}

/* ---- names ---- */

static bool equal(const unsigned char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = a[i], d = (unsigned char)b[i];

		c = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
		d = d >= 'A' && d <= 'Z' ? d | 0x20 : d;
		if (c != d || !c)
			return false;
	}
	return true;
}

bool creds_match_name(const unsigned char *name, size_t len, const char *host)
{
	size_t n = strlen(host);

	/* the last dot of "host." only turns off the DNS search list */
	if (n && host[n - 1] == '.')
		n--;
	if (len && name[len - 1] == '.')
		len--;
	if (len > 2 && name[0] == '*' && name[1] == '.') {
		const char *dot = memchr(host, '.', n);

		/* refuse *.com: it would match a whole top-level domain */
		if (!dot || dot == host || !memchr(name + 2, '.', len - 2))
			return false;
		n -= (size_t)(dot - host);
		host = dot;
		name++;
		len--;
	}
	return n && n == len && equal(name, host, n);
}

void creds_host(struct creds_host *h, const char *name)
{
	char text[64];
	size_t len = strcspn(name, "%");

	h->name = name;
	h->ip_len = 0;
	if (len >= sizeof(text))
		return;
	memcpy(text, name, len);
	text[len] = '\0';
	if (inet_pton(AF_INET, name, h->ip) == 1)
		h->ip_len = 4;
	else if (inet_pton(AF_INET6, text, h->ip) == 1)
		h->ip_len = 16;
}

static void put_address(struct nbd_out *o, const unsigned char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (len == 4)
			nbd_putf(o, i ? ".%u" : "%u", p[i]);
		else
			nbd_putf(o, i && i % 2 == 0 ? ":%02x" : "%02x", p[i]);
	}
}

bool creds_is_host(const struct creds_host *h, const unsigned char *p,
		   size_t len, bool address, struct nbd_out *o)
{
	if (o->len)
		nbd_put(o, ", ", 2);
	if (address) {
		put_address(o, p, len);
		return len && len == h->ip_len && !memcmp(p, h->ip, len);
	}
	nbd_put_safe(o, (const char *)p, len);
	return !h->ip_len && creds_match_name(p, len, h->name);
}
