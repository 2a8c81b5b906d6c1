/* SPDX-License-Identifier: BSD-2-Clause */
/* Child processes with a deadline: fork, read the result from a pipe, reap. */
#include "port/linux/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ms between checks if the kernel has no pidfd to wait on (before 5.3). */
#define LOOK_MS 20
/* ms for a child to end after a signal. */
#define STOP_MS 5000

/* Sent through the pipe, and data[] after it. */
struct result {
	int rc;
	struct nbd_diag d;
};

pid_t process_fork(void)
{
	pid_t parent = getpid(), pid = _Fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* no signal comes for one that died before */
		if (getppid() != parent)
			_exit(1);
	}
	return pid;
}

void process_detach(bool silent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (null < 0)
		return;
	(void)dup2(null, 0);
	(void)dup2(null, 1);
	if (silent || isatty(2))
		(void)dup2(null, 2);
}

static _Noreturn void run_child(int fd, process_work *work, void *data,
				size_t len)
{
	struct result r = { .rc = 0 };
	struct iovec v[2] = { { &r, sizeof(r) }, { data, len } };

	r.rc = work(data, &r.d);
	_exit(writev(fd, v, 2) < 0);
}

int process_start(struct process *p, process_work *work, void *data, size_t len,
		  struct nbd_diag *d)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return nbd_diag(d, NBD_E_NO_MEMORY, "make a pipe: %s",
				strerror(errno));
	p->fd = fds[0];
	p->pid = process_fork();
	if (p->pid == 0)
		run_child(fds[1], work, data, len);
	close(fds[1]);
	if (p->pid > 0)
		return NBD_OK;
	close(fds[0]);
	return nbd_diag(d, NBD_E_NO_MEMORY, "start a process: %s",
			strerror(errno));
}

static int ms_until(uint64_t end)
{
	uint64_t now = nbd_now_ms();

	return now >= end ? 0 : end - now < INT32_MAX ? (int)(end - now) : -1;
}

/* Reads len bytes: 0.  NBD_E_KERNEL: the other end was closed earlier. */
static int read_all(int fd, void *buf, size_t len, uint64_t end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	unsigned char *at = buf;

	while (len) {
		int n = poll(&p, 1, ms_until(end));
		ssize_t got;

		if (n == 0)
			return NBD_E_TIMEOUT;
		got = n < 0 ? -1 : read(fd, at, len);
		if (got == 0 || (got < 0 && errno != EINTR))
			return NBD_E_KERNEL;
		at += got > 0 ? got : 0;
		len -= got > 0 ? (size_t)got : 0;
	}
	return NBD_OK;
}

int process_finish(struct process *p, void *data, size_t len, const char *what,
		   uint64_t end, struct nbd_diag *d)
{
	struct result r;
	int err = read_all(p->fd, &r, sizeof(r), end);

	if (!err)
		err = read_all(p->fd, data, len, end);
	close(p->fd);
	if (err)
		kill(p->pid, SIGKILL);
	process_await(p->pid, err == NBD_E_TIMEOUT ? 0 : LOOK_MS);
	if (err)
		return nbd_diag(d, err,
				err == NBD_E_TIMEOUT
					? "%s takes too long"
					: "%s failed: its process died",
				what);
	if (d && r.rc)
		*d = r.d;
	return r.rc;
}

int process_run(process_work *work, void *data, size_t len, const char *what,
		unsigned ms, struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + ms;
	struct process p = { .fd = -1 };
	int err = process_start(&p, work, data, len, d);

	return err ? err : process_finish(&p, data, len, what, end, d);
}

int process_await(pid_t pid, unsigned ms)
{
	uint64_t end = nbd_now_ms() + ms;
	struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, pid, 0),
			    .events = POLLIN };
	int status = 0, left;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG)) &&
	       (left = ms_until(end)))
		poll(&p, 1, p.fd < 0 && left > LOOK_MS ? LOOK_MS : left);
	if (p.fd >= 0)
		close(p.fd);
	return got ? status : NBD_E_TIMEOUT;
}

void process_stop(pid_t *pid, int signal)
{
	if (*pid <= 0)
		return;
	kill(*pid, signal);
	if (process_await(*pid, STOP_MS) == NBD_E_TIMEOUT) {
		kill(*pid, SIGKILL);
		process_await(*pid, STOP_MS);
	}
	*pid = 0;
}

static int do_sync(void *data, struct nbd_diag *d)
{
	(void)data, (void)d;
	sync();
	return NBD_OK;
}

int process_sync(unsigned ms, struct nbd_diag *d)
{
	return process_run(do_sync, NULL, 0, "sync", ms, d);
}
