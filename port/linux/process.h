/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Children with a deadline.  An open, a read, a mount, an unmount or a sync
 * of a device whose server is away may last for ever, and cannot be killed:
 * a child does it, and its parent stops waiting.
 */
#ifndef PORT_LINUX_PROCESS_H
#define PORT_LINUX_PROCESS_H

#include <sys/types.h>

#include "port/port.h"

/* What a child does: 0 or an error, explained in d. */
typedef int process_work(void *data, struct nbd_diag *d);

struct process {
	pid_t pid;
	int fd; /* readable when there is a result, or none will come */
};

/*
 * Starts a child that runs work(data, d); it ends with its parent.  Mounts
 * that it makes are its parent's, too; of its memory the parent gets data[]
 * back, which is len bytes.  NBD_E_NO_MEMORY: there is no child.
 */
int process_start(struct process *p, process_work *work, void *data, size_t len,
		  struct nbd_diag *d);

/*
 * Waits for the result of work(), until `end` (of nbd_now_ms()); then data[]
 * and d are what the child made of them.  NBD_E_TIMEOUT: there was none, and
 * the child is killed, which it may notice later.  NBD_E_KERNEL: it died.
 * d has `what` in both cases ("the mount" takes too long).
 */
int process_finish(struct process *p, void *data, size_t len, const char *what,
		   uint64_t end, struct nbd_diag *d);

/* Both, with ms from now on. */
int process_run(process_work *work, void *data, size_t len, const char *what,
		unsigned ms, struct nbd_diag *d);

/*
 * Waits at most ms for a child and reaps it: its status as wait(2) has it, 0
 * if it was reaped before, or NBD_E_TIMEOUT.
 */
int process_await(pid_t pid, unsigned ms);

/*
 * Sends the child *pid a signal, after some seconds SIGKILL, and reaps it if
 * it ends; *pid is 0 then.  Does nothing for a *pid <= 0.
 */
void process_stop(pid_t *pid, int signal);

/* sync(2), for at most ms.  0, or the errors of process_run(). */
int process_sync(unsigned ms, struct nbd_diag *d);

#endif
