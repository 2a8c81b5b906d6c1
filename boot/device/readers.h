/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's threads that receive the replies.  The driver queues one endless
 * work item for each connection.  If the kernel takes more than 10 ms to make a
 * thread, the queue's rescuer takes all that wait, and runs them one after the
 * other: only the first ever starts.  Replies on the other connections are not
 * read, so their requests wait for the time-out, and when the first connection
 * ends, the next item reads from a connection that may have a reader by then.
 */
#ifndef BOOT_DEVICE_READERS_H
#define BOOT_DEVICE_READERS_H

#include <stdbool.h>

/* Those of live connections, and those that have not left dead ones yet. */
#define DEVICE_READERS (2 * CONFIG_PORT_MAX_CONNECTIONS)

/* What device_readers_clear() knows. */
struct device_readers {
	unsigned n;
	bool locked; /* at the last look: see device_readers_clear() */
	struct device_reader_thread {
		long pid;
		long ticks; /* that it had run at the first look */
		unsigned waits; /* looks in a row at which it waited for r->locked */
		bool clear;
	} at[DEVICE_READERS];
};

/* Opens /proc; -1 if that fails. */
int device_readers_open(void);

/*
 * Waits until `want` connections of nbdN have a thread each; proc is what
 * device_readers_open() returned.  False: the rescuer has taken one, or a
 * second has passed.  True also if /proc does not show the kernel's threads (in
 * a container, say).
 */
bool device_readers_await(int proc, int index, unsigned want);

/* One look: has each of `want` connections a thread?  True also as above. */
bool device_readers_run(int proc, int index, unsigned want);

/*
 * One look: is no thread of nbdN inside a socket that was dead when *r was
 * zeroed?  False if that is not known yet: look again, with the same *r.
 *
 * Their number is not enough: the thread of a connection that lives may not run
 * yet.  But a dead socket wakes up its thread, which leaves it as soon as it
 * runs, and no longer sleeps until it has.
 *
 * Unless it waits for a lock.  That of the request whose late reply it has read
 * is held while the request waits for a new connection.  r->locked: each thread
 * that is not clear waited for a lock of the driver, and did not run, at each of
 * many looks.  None of them is inside a socket then, but no look will ever be
 * clear.  Locks of a socket do not count, nor does a lock that /proc/PID/wchan
 * does not tell from them (a kernel without CONFIG_KALLSYMS has no such file).
 */
bool device_readers_clear(int proc, int index, struct device_readers *r);

#endif
