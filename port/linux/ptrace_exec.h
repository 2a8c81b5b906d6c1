/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes another process execute a program, by ptrace(2). */
#ifndef PORT_LINUX_PTRACE_EXEC_H
#define PORT_LINUX_PTRACE_EXEC_H

#include <sys/types.h>

#include "port/port.h"

/*
 * The next system call of the process becomes execve(path, { path, arg }), with
 * an empty environment.  At most ms are waited for that call.  Both strings
 * together have at most 200 bytes.  Needs CAP_SYS_PTRACE.
 *
 * NBD_E_KERNEL: execve() failed, and the process goes on with the call that it
 * was about to make.  NBD_E_TIMEOUT: it made no call; it is traced until this
 * process ends, and then goes on, too.  NBD_E_PERM: it may not be traced.
 * NBD_E_USAGE: not known for this CPU.
 */
int ptrace_exec(pid_t pid, const char *path, const char *arg, unsigned ms,
		struct nbd_diag *d);

#endif
