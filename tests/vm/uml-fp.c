// SPDX-License-Identifier: BSD-2-Clause
/*
 * Loaded with linux.uml, for CPUs with AMX.  User-mode Linux 6.1 keeps 2,696
 * bytes of the registers of a process.  The kernel below it takes all that the
 * CPU has, or refuses with EFAULT; with AMX those are 11,008 bytes.  What is
 * missing is zero here: the initial state of registers that no process of the
 * machine may use.
 */
#include <elf.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned char whole[65536];

/* How many bytes the kernel wants for this process, 0 if it does not say. */
static size_t wanted(long pid)
{
	static size_t size;
	struct iovec all = { whole, sizeof(whole) };

	if (!size &&
	    !syscall(SYS_ptrace, PTRACE_GETREGSET, pid, NT_X86_XSTATE, &all)) {
		size = all.iov_len;
		memset(whole, 0, sizeof(whole));
	}
	return size;
}

long ptrace(enum __ptrace_request request, ...)
{
	struct iovec all = { whole, 0 };
	const struct iovec *some;
	long pid, addr, word, rc;
	va_list args;
	void *data;

	va_start(args, request);
	pid = va_arg(args, long);
	addr = va_arg(args, long);
	data = va_arg(args, void *);
	va_end(args);

	/* as the C library has it: the word is the result */
	if (request >= PTRACE_PEEKTEXT && request <= PTRACE_PEEKUSER) {
		rc = syscall(SYS_ptrace, request, pid, addr, &word);
		return rc < 0 ? rc : word;
	}
	if (request == PTRACE_SETREGSET && addr == NT_X86_XSTATE) {
		some = data;
		all.iov_len = wanted(pid);
		if (some->iov_len < all.iov_len) {
			memcpy(whole, some->iov_base, some->iov_len);
			data = &all;
		}
	}
	return syscall(SYS_ptrace, request, pid, addr, data);
}
