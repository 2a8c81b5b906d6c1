/* SPDX-License-Identifier: BSD-2-Clause */
/* The type of an ioctl's request. */
#ifndef PORT_LINUX_REQUEST_H
#define PORT_LINUX_REQUEST_H

#include <sys/ioctl.h>

/* musl has an int where glibc has an unsigned long. */
#define LINUX_REQUEST(r) \
	_Generic(&ioctl, int (*)(int, int, ...) : (int)(r), default : (r))

#endif
