/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Child processes with a deadline.  An open, a read, a mount, an unmount or a
 * sync of a device whose server is away may never end, and cannot be killed.
 * So a child process does it, and the parent can stop waiting.
 */
#ifndef PORT_LINUX_PROCESS_H
#define PORT_LINUX_PROCESS_H

#include <sys/types.h>

#include "port/port.h"

/* Runs in the child.  Returns 0, or an error with the reason in d. */
typedef int process_work(void *data, struct nbd_diag *d);

/*
 * fork(), without the C library's locks for threads.  The child is killed if
 * its parent dies.  Returns -1 with errno set if there is none.
 */
pid_t process_fork(void);

/*
 * Leaves the session of the caller, and closes what its caller may read to the
 * end: /dev/null becomes standard input and output.  It takes the place of
 * standard error if that is a terminal, which may block, or with `silent`.
 */
void process_detach(bool silent);

struct process {
	pid_t pid;
	int fd; /* readable when the child has a result or has died */
};

/*
 * Starts a child as process_fork() does, which runs work(data, d).  Its mounts
 * are visible to its parent.  Of its memory the parent gets only data[] back
 * (len bytes).  NBD_E_NO_MEMORY: no child could be started.
 */
int process_start(struct process *p, process_work *work, void *data, size_t len,
		  struct nbd_diag *d);

/*
 * Waits for the result of work() until `end` (of nbd_now_ms()); then copies the
 * child's data[] and d.  NBD_E_TIMEOUT: no result in time; the child was sent
 * SIGKILL, and may die later.  NBD_E_KERNEL: the child died.  In both cases d
 * begins with `what` ("the mount takes too long").
 */
int process_finish(struct process *p, void *data, size_t len, const char *what,
		   uint64_t end, struct nbd_diag *d);

/* process_start() and process_finish(), with a time limit of ms. */
int process_run(process_work *work, void *data, size_t len, const char *what,
		unsigned ms, struct nbd_diag *d);

/*
 * Waits at most ms for a child and reaps it.  Returns its status as in wait(2),
 * 0 if it was reaped before, or NBD_E_TIMEOUT.
 */
int process_await(pid_t pid, unsigned ms);

/*
 * Sends the child *pid a signal, and SIGKILL after 5 seconds.  If it ends, this
 * reaps it and sets *pid to 0.  Does nothing if *pid <= 0.
 */
void process_stop(pid_t *pid, int signal);

/* Runs sync(2) for at most ms.  Returns 0, or the errors of process_run(). */
int process_sync(unsigned ms, struct nbd_diag *d);

#endif
