/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of %h, %m, %u and %s for this machine. */
#include "boot/root/connect.h"

#include <fcntl.h>
#include <string.h>

#include "boot/system/host.h"
#include "port/linux/file.h"
#include "port/linux/iface.h"

/*
 * Dynamic ports (RFC 6335) that are also in the kernel's default range: nothing
 * listens there.
 */
#define PORT_MIN 49152u
#define PORT_MAX 60999u

/* Reads a line of sysfs without the blanks at its end; NULL if it is empty. */
static const char *read_line(const char *path, char *buf, size_t cap)
{
	int n = file_read(AT_FDCWD, path, buf, cap);

	while (n > 0 && buf[n - 1] <= ' ')
		buf[--n] = '\0';
	return n > 0 ? buf : NULL;
}

/* Takes the MAC of the interface dev, else of the first with a link. */
static void take_mac(void *ctx, const struct iface *iface)
{
	struct root_machine *m = ctx;
	struct nbd_out o = { .buf = m->mac, .cap = sizeof(m->mac) - 1 };

	if (m->mac[0] || iface->loopback ||
	    (*m->dev ? strcmp(m->dev, iface->name) != 0 : !iface->carrier))
		return;
	nbd_put_mac(&o, iface->mac);
	m->mac[o.len] = '\0';
}

void root_machine(struct root_machine *m, struct root_env *env, const char *dev)
{
	const char **value = env->value;
	struct nbd_diag d;

	m->dev = dev;
	m->mac[0] = '\0';
	iface_each(take_mac, m, &d);
	value[ROOT_MAC] = m->mac[0] ? m->mac : NULL;
	if (!uname(&m->names) && *boot_host(&m->names))
		value[ROOT_HOST] = m->names.nodename;
	value[ROOT_UUID] = read_line("/sys/class/dmi/id/product_uuid", m->uuid,
				     sizeof(m->uuid));
	value[ROOT_SERIAL] = read_line("/sys/class/dmi/id/product_serial",
				       m->serial, sizeof(m->serial));
	if (!value[ROOT_SERIAL]) /* boards without a firmware that has DMI */
		value[ROOT_SERIAL] =
			read_line("/proc/device-tree/serial-number", m->serial,
				  sizeof(m->serial));
}

unsigned root_local_port(const struct root_machine *m)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (const char *p = m->mac; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619u;
	return m->mac[0] ? PORT_MIN + hash % (PORT_MAX - PORT_MIN + 1) : 0;
}
