/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does a switch port ask for IEEE 802.1X?  Such a port forwards nothing before
 * a login, and only sends EAPOL frames (ethertype 0x888e, to the group address
 * 01:80:c2:00:00:03).  This module listens for them, and only says goodbye.
 */
#ifndef PORT_LINUX_EAPOL_H
#define PORT_LINUX_EAPOL_H

#include "port/port.h"

/* Opens a non-blocking socket; -1: the kernel has none for us. */
int eapol_open(void);

/*
 * Also receive on this interface.  Call it before the interface comes up: many
 * switches ask once at that time, and then only every 30 s.
 */
void eapol_listen(int fd, int index);

/*
 * Reads what has arrived, at most 256 frames.  Fills index[0] to index[n - 1]
 * with the interfaces at which a switch asks for a login or refuses one, each
 * once, and returns n, at most max.
 */
unsigned eapol_heard(int fd, int index[], unsigned max);

/*
 * Tells the switch at that interface that its machine leaves (EAPOL-Logoff): the
 * port is shut.  Nothing answers.
 */
void eapol_log_off(int index);

/* Is that the payload of such a frame? */
bool eapol_asks(const unsigned char *p, size_t len);

#endif
