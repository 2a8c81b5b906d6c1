/* SPDX-License-Identifier: BSD-2-Clause */
/* EAP over LAN (IEEE 802.1X, 11.3), with EAP packets inside (RFC 3748, 4). */
#include "port/linux/eapol.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* version, type, length of 2 bytes; then the code of EAP */
#define TYPE	    1
#define EAP_CODE    4
#define EAP_PACKET  0
#define EAP_LOGOFF  2
#define EAP_REQUEST 1
#define EAP_FAILURE 4
/* The least that EAP has: code, identifier, length of 2 bytes. */
#define LEAST	    (EAP_CODE + 4)

/* Frames to read, so that a flood of them ends. */
#define FRAMES 256

static const unsigned char group[ETH_ALEN] = { 0x01, 0x80, 0xc2, 0, 0, 3 };

int eapol_open(void)
{
	return socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		      htons(ETH_P_PAE));
}

void eapol_listen(int fd, int index)
{
	struct packet_mreq m = { .mr_ifindex = index,
				 .mr_type = PACKET_MR_MULTICAST,
				 .mr_alen = ETH_ALEN };

	memcpy(m.mr_address, group, sizeof(group));
	setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &m, sizeof(m));
}

bool eapol_asks(const unsigned char *p, size_t len)
{
	return len >= LEAST && p[TYPE] == EAP_PACKET &&
	       (p[EAP_CODE] == EAP_REQUEST || p[EAP_CODE] == EAP_FAILURE);
}

static unsigned add(int index[], unsigned n, unsigned max, int new)
{
	for (unsigned i = 0; i < n; i++)
		if (index[i] == new)
			return n;
	if (n < max)
		index[n++] = new;
	return n;
}

unsigned eapol_heard(int fd, int index[], unsigned max)
{
	unsigned char p[LEAST];
	struct sockaddr_ll from = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < FRAMES; i++) {
		socklen_t size = sizeof(from);
		ssize_t len = recvfrom(fd, p, sizeof(p), 0,
				       (struct sockaddr *)&from, &size);

		if (len < 0)
			break;
		if (eapol_asks(p, (size_t)len))
			n = add(index, n, max, from.sll_ifindex);
	}
	return n;
}

void eapol_log_off(int index)
{
	/* each switch knows version 1 */
	static const unsigned char frame[EAP_CODE] = { 1, EAP_LOGOFF };
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_PAE),
				  .sll_ifindex = index,
				  .sll_halen = ETH_ALEN };
	/* protocol 0: it receives nothing */
	int fd =
		socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	memcpy(to.sll_addr, group, sizeof(group));
	sendto(fd, frame, sizeof(frame), 0, (struct sockaddr *)&to, sizeof(to));
	close(fd);
}
