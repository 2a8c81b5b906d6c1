/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of the machine. */
#include "boot/net/net.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "boot/system/console.h"

void net_set_host(const char *host, bool cut)
{
	if (cut)
		boot_say(
			"the host name is longer than %d bytes, and becomes %s",
			IP_HOST, host);
	if (host[0] && sethostname(host, strlen(host)))
		boot_say("host name %s: %s", host, strerror(errno));
}
