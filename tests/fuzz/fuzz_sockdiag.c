/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's answers about sockets.  The first byte is the device, the next
 * one chooses between the kinds of message.
 */
#include "port/linux/sockdiag.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nl_reply r = { .type = SOCK_DIAG_BY_FAMILY };
	struct sockdiag_link l, again;
	unsigned char *copy;
	int index;

	if (size < 2)
		return 0;
	index = data[0];
	if (data[1] & 0x80)
		r.type = data[1];
	data += 2;
	size -= 2;
	/* a copy of its own, so that a byte too far is seen */
	copy = malloc(size ? size : 1);
	if (size)
		memcpy(copy, data, size);
	r.data = copy;
	r.len = size;
	if (sockdiag_read(&r, index, &l)) {
		if (r.type != SOCK_DIAG_BY_FAMILY || l.family != copy[0])
			abort();
		/* it is a socket of one device only */
		if (sockdiag_read(&r, index + 1, &again))
			abort();
	}
	free(copy);
	return 0;
}
