/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot-lwip info: what the server says of an export. */
#include "boot/lwip/lwip.h"

int lwip_info(struct lwip_call *call)
{
	const struct nbd_export *e = &call->disk.export;
	static const char *const names[] = { "simple", "structured",
					     "extended" };

	lwip_say(1, "size %llu\nflags 0x%x\nreplies %s\n",
		 (unsigned long long)e->size, e->flags,
		 names[nbd_replies(&call->disk.link[0].conn.c)]);
	if (e->has_block)
		lwip_say(1, "blocks %u to %u\n", e->min_block, e->max_payload);
	return 0;
}
