/* SPDX-License-Identifier: BSD-2-Clause */
/* What this machine is called: the values of %h, %m, %u and %s. */
#include "boot/root/connect.h"

#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>

#include "port/linux/dir.h"
#include "port/linux/link.h"

static char mac[18], uuid[64], serial[128];
static struct utsname names;

/* A line of sysfs without the blanks at its end; NULL if it is empty. */
static const char *read_line(const char *path, char *buf, size_t cap)
{
	int n = dir_read(AT_FDCWD, path, buf, cap);

	while (n > 0 && buf[n - 1] <= ' ')
		buf[--n] = '\0';
	return n > 0 ? buf : NULL;
}

/* The one that is named, else the first with a link. */
static void take_mac(void *ctx, const struct link *l)
{
	/* no address is shorter, so that the NUL behind it stays */
	struct nbd_out o = { .buf = mac, .cap = sizeof(mac) - 1 };
	const char *dev = ctx;

	if (mac[0] || l->loopback || (*dev && strcmp(dev, l->name) != 0) ||
	    (!*dev && !l->carrier))
		return;
	nbd_put_mac(&o, l->mac);
}

void root_machine(struct root_env *env, const char *dev)
{
	struct nbd_diag d;

	mac[0] = '\0';
	link_each(take_mac, (void *)dev, &d);
	env->value[ROOT_MAC] = mac[0] ? mac : NULL;
	/* the kernel's word for none */
	if (!uname(&names) && strcmp(names.nodename, "(none)") != 0)
		env->value[ROOT_HOST] = names.nodename;
	env->value[ROOT_UUID] =
		read_line("/sys/class/dmi/id/product_uuid", uuid, sizeof(uuid));
	env->value[ROOT_SERIAL] = read_line("/sys/class/dmi/id/product_serial",
					    serial, sizeof(serial));
}
