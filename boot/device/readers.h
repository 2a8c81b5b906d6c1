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

/* Opens /proc; -1 if that fails. */
int device_readers_open(void);

/*
 * Waits until `want` connections of nbdN have a thread each; proc is what
 * device_readers_open() returned.  False: the rescuer has taken one, or a
 * second has passed.  True also if /proc does not show the kernel's threads (in
 * a container, say).
 */
bool device_readers_await(int proc, int index, unsigned want);

/* How many connections of nbdN have a thread; 0 also if /proc shows none. */
unsigned device_readers_count(int proc, int index);

#endif
