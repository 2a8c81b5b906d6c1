/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that udev gives to network cards, where no udev runs:
 *
 *	enx525400123456		its MAC address
 *	en[P<domain>]p<bus>s<slot>[f<function>]	its place on a PCI bus, decimal
 */
#ifndef PORT_LINUX_IFACE_PATH_H
#define PORT_LINUX_IFACE_PATH_H

#include "port/linux/iface.h"

/* Would udev call the interface so? */
bool iface_path_is(const struct iface *iface, const char *name);

/*
 * The same, for the path of its device under /sys:
 * "../../devices/pci0000:00/0000:00:03.0/virtio0/net/eth0".
 */
bool iface_path_names(const char *sys, const char *name);

#endif
