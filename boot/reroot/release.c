/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that outlives a soft reboot, and disconnects the devices of the
 * system that has ended.  Until process 1 has another root, services of the old
 * system may still close a device and open it again.
 *
 *	reroot_soft() -> list the devices, ready -> other root? -> in use?
 *	                                            ^     | no    ^   | yes
 *	                                            `-----'       `---'
 */
#include "boot/reroot/reroot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/mapper/mapper.h"
#include "boot/system/console.h"
#include "boot/system/ready.h"
#include "port/linux/nbdk.h"

/* ms between looks: no event announces the end of a device's use. */
#define LOOK_MS 500

struct old {
	int index, pid; /* the process that has connected it */
};

/* The device of its root file system; 0: it cannot be seen. */
static dev_t root_of_process_1(int proc)
{
	struct stat st;

	return fstatat(proc, "1/root/.", &st, 0) ? 0 : st.st_dev;
}

/* The devices that are connected now. */
static unsigned list(struct old old[REROOT_DEVICES])
{
	struct nbdk_iter it = { 0 };
	struct nbdk_info info;
	unsigned n = 0;
	int i;

	while ((i = nbdk_next(&it)) >= 0) {
		if (nbdk_info(i, &info) || !info.connected)
			continue;
		if (n == REROOT_DEVICES) {
			boot_say("nbd%d and those after it stay connected: "
				 "more than %d devices",
				 i, REROOT_DEVICES);
			break;
		}
		old[n++] = (struct old){ i, info.pid };
	}
	return n;
}

/* Disconnects those that are not in use.  Returns how many still are. */
static unsigned release(struct old old[], unsigned n)
{
	struct nbdk_info info;
	struct nbd_diag d;
	unsigned left = 0;
	int rc;

	for (unsigned i = 0; i < n; i++) {
		/* another program may have disconnected and used it */
		if (nbdk_info(old[i].index, &info) || !info.connected ||
		    info.pid != old[i].pid)
			continue;
		mapper_take(old[i].index, NULL);
		rc = nbdk_release(old[i].index, 0, &d);
		if (rc == NBD_E_IN_USE)
			old[left++] = old[i];
		else if (rc < 0)
			boot_say("%s", d.text);
	}
	return left;
}

int reroot_release(struct nbd_diag *d)
{
	struct old old[REROOT_DEVICES];
	/* the path is lost while /proc moves to the new root */
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	dev_t root = proc < 0 ? 0 : root_of_process_1(proc), now;
	unsigned n;

	if (!root) {
		nbd_diag(d, NBD_E_PERM, "the root of process 1: %s",
			 strerror(errno));
		if (proc >= 0)
			close(proc);
		return NBD_E_PERM;
	}
	n = list(old);
	boot_ready_tell();
	while ((now = root_of_process_1(proc)) == root || !now)
		poll(NULL, 0, LOOK_MS);
	while ((n = release(old, n)))
		poll(NULL, 0, LOOK_MS);
	close(proc);
	return NBD_OK;
}
