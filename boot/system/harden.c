/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that must go on when its own root cannot be read. */
#include "boot/system/harden.h"

#include "port/linux/file.h"
#include "port/text.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif
#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif

#define PAGE  4096u
/* More than a TLS handshake takes (20 KiB). */
#define STACK (24u * 1024u)

/* Set by the linker: the head of the program in memory. */
extern const ElfW(Ehdr) __ehdr_start;

static void warn(const char *what)
{
	char text[160];
	int n = nbd_fmt(text, sizeof(text), "nbdboot: process %d: %s: %s\n",
			(int)getpid(), what, strerror(errno));

	if (n > 0 && write(2, text, (size_t)n) < 0)
		errno = 0;
}

/* Between objects too, where the address sanitizer has its red zones. */
__attribute__((no_sanitize("address"))) static void touch(uintptr_t p,
							  uintptr_t len)
{
	uintptr_t end = p + len;

	for (p -= p % PAGE; p < end; p += PAGE)
		(void)*(volatile const char *)p;
}

/* Between code and data there can be room for pages of 64 KiB, without memory. */
static void touch_program(void)
{
	const ElfW(Phdr) *h =
		(const void *)((uintptr_t)&__ehdr_start + __ehdr_start.e_phoff);

	for (unsigned n = __ehdr_start.e_phnum; n; n--, h++)
		if (h->p_type == PT_LOAD)
			touch(h->p_vaddr, h->p_filesz);
}

static void touch_stack(void)
{
	char room[STACK];

	explicit_bzero(room, sizeof(room));
}

static void spare_us(void)
{
	if (file_write(AT_FDCWD, "/proc/self/oom_score_adj", "-1000", 5))
		warn("cannot be exempted from the OOM killer");
}

void boot_small_pages(void)
{
	/* fails before Linux 3.15, harmlessly */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

void boot_log_to_kernel(void)
{
	bool person = isatty(2) && !getenv("NOTIFY_SOCKET");
	/* a description of its own: that of the shell should block */
	int fd = open(person ? "/proc/self/fd/2" : "/dev/kmsg",
		      O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	dup2(fd, 2);
	close(fd);
}

/*
 * A page is locked when it is first touched: all of the program is, but none of
 * the buffers of other commands.
 */
void boot_harden(void)
{
	spare_us();
	/* Linux before 5.6 returns EINVAL */
	if (prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0) && errno != EINVAL)
		warn("PR_SET_IO_FLUSHER");
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
		warn("memory cannot be locked");
	/* no core dump of the credentials, and no debugger but root's */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	touch_program();
	touch_stack();
}
