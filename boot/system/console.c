/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints lines on the console at every log level of the kernel. */
#include "boot/system/console.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "port/linux/file.h"

bool boot_console_debug;
void (*boot_console_tee)(const char *p, size_t len);
void (*boot_console_log)(int level, const char *p, size_t len);
static bool something_failed; /* for this process */
static bool stopped;	      /* the terminal took nothing for WAIT_MS */
static int lines = -1;	      /* where lines are written, if it is open */

/* A whole line: an explanation (struct nbd_diag) and the text around it. */
#define LINE_MAX_LEN 800
/* ms for a slow terminal to print some of what it has. */
#define WAIT_MS	     500

/*
 * Lines have a description of their own, which does not block: a terminal that
 * the user or the other end of a serial line has stopped must not stop process
 * 1.  The programs that it starts get descriptors as they expect them.
 */
static void open_lines(const char *path)
{
	int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (lines >= 0)
		close(lines);
	lines = fd;
}

int boot_console_open(const char *path, bool control)
{
	int fd, i;

	if (control)
		setsid();
	/* not O_CLOEXEC: it may itself become descriptor 0, 1 or 2 */
	fd = open(path, O_RDWR | O_NOCTTY);
	if (fd < 0)
		return NBD_E_IO;
	for (i = 0; i < 3; i++)
		if (i != fd)
			dup2(fd, i);
	if (fd > 2)
		close(fd);
	open_lines(path);
	if (control)
		ioctl(0, TIOCSCTTY, 1);
	return NBD_OK;
}

/*
 * Copies a line to the kernel's log, and so to the journal, at a level that the
 * kernel does not print, because the line is on the console already.  Each
 * record is written through a new descriptor: the kernel limits the rate of
 * each.
 */
static void log_line(const char *p, size_t len)
{
	uint64_t printed = file_number(AT_FDCWD, "/proc/sys/kernel/printk");
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	char head[] = "<5>nbdboot: ";
	struct iovec v[2] = { { head, sizeof(head) - 1 }, { (char *)p, len } };

	if (printed > 5)
		head[1] = printed == 6 ? '6' : '7';
	if (fd < 0)
		return;
	(void)!writev(fd, v, 2);
	close(fd);
}

static void log_lines(const char *p, size_t len)
{
	const char *end = p + len, *line = p, *start;

	for (; line < end && (p = memchr(line, '\n', (size_t)(end - line)));
	     line = p + 1) {
		/* a line begins with the time, or continues the one before */
		start = *line == '[' ? strchr(line, ':') + 2
				     : line + strspn(line, " ");
		log_line(start, (size_t)(p - start));
	}
}

/* Writes as much as the terminal takes; waits only if it took some before. */
static void print(int fd, const char *p, size_t len)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };
	bool waited = stopped;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno != EAGAIN || waited)) {
			stopped = errno == EAGAIN;
			return;
		}
		waited = n < 0;
		if (waited)
			poll(&room, 1, WAIT_MS);
		p += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	stopped = false;
}

static void deliver(struct nbd_out *o, int level, bool printed)
{
	if (boot_console_log)
		boot_console_log(level, o->buf, o->len);
	if (printed && lines >= 0)
		log_lines(o->buf, o->len);
	if (printed && something_failed && boot_console_tee)
		boot_console_tee(o->buf, o->len);
	if (printed)
		print(lines >= 0 ? lines : o->fd, o->buf, o->len);
	o->len = 0;
}

static void flush_said(struct nbd_out *o)
{
	deliver(o, 5, true);
}

static void flush_noted(struct nbd_out *o)
{
	deliver(o, 7, boot_console_debug);
}

static void flush_failed(struct nbd_out *o)
{
	deliver(o, 3, true);
}

static void begin(struct nbd_out *o, void (*flush)(struct nbd_out *o))
{
	uint64_t now = nbd_now_ms();

	o->fd = 2;
	o->flush = flush;
	nbd_putf(o, "[%5u.%03u] nbdboot: ", (unsigned)(now / 1000),
		 (unsigned)(now % 1000));
}

static void line(void (*flush)(struct nbd_out *o), const char *fmt, va_list ap)
{
	char buf[LINE_MAX_LEN];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

	begin(&o, flush);
	nbd_vputf(&o, fmt, ap);
	nbd_put(&o, "\n", 1);
	flush(&o);
}

void boot_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(flush_said, fmt, ap);
	va_end(ap);
}

void boot_note(const char *fmt, ...)
{
	va_list ap;

	if (!boot_console_debug && !boot_console_log)
		return;
	va_start(ap, fmt);
	line(flush_noted, fmt, ap);
	va_end(ap);
}

void boot_say_failed(const char *step, int err, const struct nbd_diag *d,
		     const char *hint)
{
	char buf[LINE_MAX_LEN];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf) };

	something_failed = true;
	if (!hint)
		hint = nbd_err_hint(err);
	begin(&o, flush_failed);
	nbd_putf(&o, "FAILED: %s: ", step);
	nbd_put(&o, d->text, strlen(d->text));
	nbd_put(&o, "\n", 1);
	if (*hint)
		nbd_putf(&o, "                     -> %s\n", hint);
	flush_failed(&o);
}
