/* SPDX-License-Identifier: BSD-2-Clause */
/* Stream sockets as transports. */
#include "port/posix/sock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

int sock_error(int err)
{
	switch (err) {
	case EAGAIN:
	case EINTR:
	case EINPROGRESS:
		return NBD_E_AGAIN;
	case ECONNREFUSED:
		return NBD_E_REFUSED;
	case ENOENT: /* it may not be there yet */
	case ENOTDIR:
		return NBD_E_NO_SOCKET;
	case ECONNRESET:
	case ECONNABORTED: /* by this machine, as `ss -K` does */
	case EPIPE:
		return NBD_E_RESET;
	case ENETUNREACH:
	case EHOSTUNREACH:
	case ENETDOWN:
	case EADDRNOTAVAIL:
	case EHOSTDOWN: /* these are of ICMP: a router knows no such host, ... */
	case ENONET:
	case EACCES: /* ... or a firewall of IPv6 */
	case EPROTO:
	case ENOPROTOOPT:
		return NBD_E_UNREACHABLE;
	case ETIMEDOUT:
		return NBD_E_TIMEOUT;
	case EPERM:
		return NBD_E_PERM;
	case EIO: /* kernel TLS: an alert, which is a goodbye */
		return NBD_E_CUT;
	case EBADMSG: /* kernel TLS: a forged record */
		return NBD_E_TLS;
	default:
		return NBD_E_IO;
	}
}

static struct sock *of(struct nbd_transport *t)
{
	return (struct sock *)t; /* its first member */
}

static int sock_read(struct nbd_transport *t, void *buf, size_t len)
{
	ssize_t n;

	if (of(t)->reads && --of(t)->reads == 0)
		return NBD_E_AGAIN;
	if (len > INT32_MAX)
		len = INT32_MAX;
	n = recv(of(t)->fd, buf, len, 0);
	return n < 0 ? sock_error(errno) : (int)n;
}

static int sock_write(struct nbd_transport *t, const struct nbd_iov v[],
		      unsigned n)
{
	struct iovec iov[8];
	struct msghdr msg = { .msg_iov = iov };
	ssize_t len;

	if (n > 8)
		n = 8;
	for (unsigned i = 0; i < n; i++) {
		iov[i].iov_base = v[i].base;
		iov[i].iov_len = v[i].len;
		msg.msg_iovlen++; /* an int here, a size_t there */
	}
	len = sendmsg(of(t)->fd, &msg, MSG_NOSIGNAL);
	return len < 0 ? sock_error(errno) : (int)len;
}

void sock_close(struct sock *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static void sock_vclose(struct nbd_transport *t)
{
	sock_close(of(t));
}

/* A kernel without the option still makes the connection. */
static void set(int fd, int level, int name, int value)
{
	(void)setsockopt(fd, level, name, &value, sizeof(value));
}

static void tune(int fd)
{
	set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set(fd, IPPROTO_TCP, TCP_KEEPIDLE, SOCK_KEEP_IDLE);
	set(fd, IPPROTO_TCP, TCP_KEEPINTVL, SOCK_KEEP_INTERVAL);
	set(fd, IPPROTO_TCP, TCP_KEEPCNT, SOCK_KEEP_COUNT);
	set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, SOCK_USER_TIMEOUT);
}

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

static socklen_t encode(union address *u, const struct sock_addr *a)
{
	memset(u, 0, sizeof(*u));
	if (!a->host.len) {
		u->un.sun_family = AF_UNIX;
		memcpy(u->un.sun_path, a->path, a->path_len);
		return (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				   a->path_len + (a->path[0] ? 1 : 0));
	}
	/* the port is at the same place in both */
	u->in.sin_port = htons(a->port);
	u->in.sin_family = AF_INET;
	memcpy(&u->in.sin_addr, a->host.ip, 4);
	if (a->host.len == 4)
		return sizeof(u->in);
	u->in6.sin6_family = AF_INET6;
	u->in6.sin6_flowinfo = 0;
	memcpy(&u->in6.sin6_addr, a->host.ip, 16);
	u->in6.sin6_scope_id = a->zone;
	return sizeof(u->in6);
}

/* What sock_lacks_keep() found. */
static enum { ASK, HAS, LACKS } kept_six;

int sock_connect(struct sock *s, const struct sock_addr *a)
{
	int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	union address u;
	socklen_t len = encode(&u, a);
	int err;

	s->t = (struct nbd_transport){ sock_read, sock_write, sock_vclose };
	s->reads = 0;
	s->fd = -1;
	/* it would run modprobe, from a root that may be away */
	if (kept_six == LACKS && a->host.len == 16)
		return NBD_E_UNREACHABLE;
	s->fd = socket(u.any.sa_family, type, 0);
	if (s->fd < 0)
		return errno == EAFNOSUPPORT ? NBD_E_UNREACHABLE
					     : sock_error(errno);
	if (a->host.len) {
		tune(s->fd);
		sock_from_bind(s, u.any.sa_family, len);
	}
	if (connect(s->fd, &u.any, len) == 0)
		return 0;
	/* of a UNIX socket: its backlog is full, and its mode */
	err = errno == EAGAIN	? NBD_E_REFUSED
	      : errno == EACCES ? NBD_E_PERM
				: sock_error(errno);
	if (err == NBD_E_AGAIN)
		return err;
	sock_close(s);
	return sock_from_dropped(s) ? sock_connect(s, a) : err;
}

int sock_open(const struct sock_addr *a, int type)
{
	union address u;
	socklen_t len = encode(&u, a);
	int fd =
		socket(u.any.sa_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err;

	if (fd >= 0 && (!connect(fd, &u.any, len) || errno == EINPROGRESS))
		return fd;
	err = sock_error(errno);
	if (fd >= 0)
		close(fd);
	return err;
}

bool sock_lacks(const struct sock_addr *a)
{
	if (a->host.len != 16 || kept_six)
		return a->host.len == 16 && kept_six == LACKS;
	return access("/proc/net/if_inet6", F_OK);
}

void sock_lacks_keep(void)
{
	static const struct sock_addr six = { .host.len = 16 };

	kept_six = sock_lacks(&six) ? LACKS : HAS;
}

int sock_open_known(const struct sock_addr *a, int type)
{
	return sock_lacks(a) ? NBD_E_UNREACHABLE : sock_open(a, type);
}

void sock_clear(const struct sock *s, const struct sock_addr *a)
{
	union address u;
	socklen_t len = encode(&u, a);

	if (a->host.len)
		sock_from_clear(s, &u.any, len);
}

int sock_connected(struct sock *s)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		err = errno;
	if (!err)
		return 0;
	sock_close(s);
	return sock_error(err);
}

static int resolve_unix(const struct nbd_uri *uri, struct sock_addr *a,
			struct nbd_diag *d)
{
	const size_t max = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;

	if (uri->socket_len > max)
		return nbd_diag(d, NBD_E_URI,
				"%s: socket path longer than %zu bytes",
				uri->socket, max);
	*a = (struct sock_addr){ .path = uri->socket,
				 .path_len = uri->socket_len };
	return 1;
}

int sock_resolve(const struct nbd_uri *uri,
		 struct sock_addr addrs[SOCK_MAX_ADDRS], struct nbd_diag *d)
{
	if (uri->is_unix)
		return resolve_unix(uri, addrs, d);
	/* uri.md: an empty host is this machine */
	return sock_resolve_host(uri->host[0] ? uri->host : "localhost",
				 uri->port, addrs, d);
}
