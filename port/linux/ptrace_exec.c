/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	seize, interrupt -> at the entry of a system call: put execve() in its
 *	place -> executed, or the entry once more with what was there
 *
 * Nothing but registers has to be put back: the strings are below the stack.
 */
#include "port/linux/ptrace_exec.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

/* Bytes below the stack that a function may use without moving it. */
#define RED_ZONE 128
/* ms between looks at the process. */
#define LOOK_MS	 2
/* A stop of PTRACE_O_TRACESYSGOOD, and an event's, as waitpid() has them. */
#define SYSCALL	 (SIGTRAP | 0x80)
#define EXECUTED (SIGTRAP | PTRACE_EVENT_EXEC << 8)

#if defined(__x86_64__) && defined(__LP64__)
static uintptr_t stack_of(const struct user_regs_struct *r)
{
	return r->rsp;
}

static int set_execve(pid_t pid, struct user_regs_struct *r, uintptr_t path,
		      uintptr_t argv)
{
	(void)pid;
	r->orig_rax = SYS_execve;
	r->rdi = path;
	r->rsi = argv;
	r->rdx = 0;
	return 0;
}

/* The instruction syscall has two bytes. */
static void set_again(struct user_regs_struct *r)
{
	r->rip -= 2;
	r->rax = r->orig_rax;
}
#elif defined(__aarch64__)
#define NT_ARM_CALL 0x404 /* NT_ARM_SYSTEM_CALL of linux/elf.h */

static uintptr_t stack_of(const struct user_regs_struct *r)
{
	return r->sp;
}

static int set_execve(pid_t pid, struct user_regs_struct *r, uintptr_t path,
		      uintptr_t argv)
{
	int call = SYS_execve;
	struct iovec v = { &call, sizeof(call) };

	r->regs[0] = path;
	r->regs[1] = argv;
	r->regs[2] = 0;
	return (int)ptrace(PTRACE_SETREGSET, pid, NT_ARM_CALL, &v);
}

/* The number of the call is still in x8. */
static void set_again(struct user_regs_struct *r)
{
	r->pc -= 4;
}
#else
#define UNKNOWN_CPU
#endif

#ifdef UNKNOWN_CPU
int ptrace_exec(pid_t pid, const char *path, const char *arg, unsigned ms,
		struct nbd_diag *d)
{
	(void)path, (void)arg, (void)ms;
	return nbd_diag(d, NBD_E_USAGE,
			"process %d cannot be replaced on this CPU", (int)pid);
}
#else
/* What execve() reads; the pointers are of the other process. */
struct arguments {
	uintptr_t argv[4];
	char text[224];
};

struct tracee {
	pid_t pid;
	uint64_t end; /* nbd_now_ms() */
	int status;   /* of its last stop */
};

static int stopped(struct tracee *t, struct nbd_diag *d)
{
	pid_t pid;

	while ((pid = waitpid(t->pid, &t->status, __WALL | WNOHANG)) == 0) {
		if (nbd_now_ms() >= t->end)
			return nbd_diag(d, NBD_E_TIMEOUT,
					"process %d does not stop",
					(int)t->pid);
		poll(NULL, 0, LOOK_MS);
	}
	return pid > 0 && WIFSTOPPED(t->status)
		       ? NBD_OK
		       : nbd_diag(d, NBD_E_KERNEL, "process %d has ended",
				  (int)t->pid);
}

/* From its last stop to the next of a system call.  It gets its signals. */
static int next_call(struct tracee *t, struct nbd_diag *d)
{
	int rc;

	do {
		int signal = t->status >> 16 || t->status >> 8 == SYSCALL
				     ? 0
				     : WSTOPSIG(t->status);

		ptrace(PTRACE_SYSCALL, t->pid, NULL, signal);
		rc = stopped(t, d);
	} while (!rc && t->status >> 8 != SYSCALL &&
		 t->status >> 8 != EXECUTED);
	return rc;
}

static int put_arguments(pid_t pid, uintptr_t at, const char *path,
			 const char *arg, struct nbd_diag *d)
{
	struct arguments a = { 0 };
	size_t len = strlen(path) + 1;
	uintptr_t text = at + offsetof(struct arguments, text);
	long words[sizeof(a) / sizeof(long)];

	if (len + strlen(arg) >= sizeof(a.text))
		return nbd_diag(d, NBD_E_USAGE, "%s: too long", path);
	a.argv[0] = text;
	a.argv[1] = text + len;
	memcpy(a.text, path, len);
	memcpy(a.text + len, arg, strlen(arg));
	memcpy(words, &a, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(long); i++)
		if (ptrace(PTRACE_POKEDATA, pid, at + i * sizeof(long),
			   words[i]))
			return nbd_diag(d, NBD_E_KERNEL,
					"write below the stack of process %d: "
					"%s",
					(int)pid, strerror(errno));
	return NBD_OK;
}

static int get_registers(pid_t pid, struct user_regs_struct *r)
{
	struct iovec v = { r, sizeof(*r) };

	/* those of a 32-bit process are fewer */
	return ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &v) ||
			       v.iov_len != sizeof(*r)
		       ? -1
		       : 0;
}

static int set_registers(pid_t pid, struct user_regs_struct *r)
{
	struct iovec v = { r, sizeof(*r) };

	return (int)ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &v);
}

/* At the entry of a system call. */
static int execute(struct tracee *t, const char *path, const char *arg,
		   struct nbd_diag *d)
{
	struct user_regs_struct before, r;
	uintptr_t at;
	int rc;

	if (get_registers(t->pid, &before))
		return nbd_diag(d, NBD_E_KERNEL,
				"process %d is not of this CPU's kind",
				(int)t->pid);
	r = before;
	at = (stack_of(&r) - RED_ZONE - sizeof(struct arguments)) &
	     ~(uintptr_t)15;
	rc = put_arguments(t->pid, at, path, arg, d);
	if (rc)
		return rc;
	if (set_execve(t->pid, &r, at + offsetof(struct arguments, text), at) ||
	    set_registers(t->pid, &r))
		return nbd_diag(d, NBD_E_KERNEL, "registers of process %d: %s",
				(int)t->pid, strerror(errno));
	rc = next_call(t, d);
	if (rc || t->status >> 8 == EXECUTED)
		return rc;
	set_again(&before);
	set_registers(t->pid, &before);
	return nbd_diag(d, NBD_E_KERNEL, "process %d could not execute %s",
			(int)t->pid, path);
}

int ptrace_exec(pid_t pid, const char *path, const char *arg, unsigned ms,
		struct nbd_diag *d)
{
	struct tracee t = { .pid = pid, .end = nbd_now_ms() + ms };
	int rc;

	if (ptrace(PTRACE_SEIZE, pid, NULL,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC) ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		return nbd_diag(d, NBD_E_PERM, "trace process %d: %s", (int)pid,
				strerror(errno));
	rc = stopped(&t, d);
	if (!rc)
		rc = next_call(&t, d);
	if (!rc)
		rc = execute(&t, path, arg, d);
	if (rc != NBD_E_TIMEOUT)
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return rc;
}
#endif
