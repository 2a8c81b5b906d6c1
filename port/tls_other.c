/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of TLS that are no data, wherever they are decrypted. */
#include "port/tls.h"

#include <string.h>

/* RFC 8446, 4.6 and 6 */
#define NEW_SESSION_TICKET 4
#define KEY_UPDATE	   24
#define USER_CANCELED	   90

int nbd_tls_other(unsigned type, const unsigned char *p, size_t len)
{
	static const unsigned char hello_request[4] = { 0 };

	if (type == NBD_TLS_ALERT && len == 2 && p[1] == NBD_TLS_CLOSE_NOTIFY)
		return NBD_TLS_GOODBYE;
	if (type == NBD_TLS_ALERT && len == 2 && p[0] == NBD_TLS_WARNING)
		return 0;
	/* RFC 5246, 7.4.1.1: a client that does not renegotiate may ignore it */
	if (type == NBD_TLS_HANDSHAKE && len == sizeof(hello_request) &&
	    !memcmp(p, hello_request, len))
		return 0;
	return NBD_E_TLS;
}

static int handshake_13(const unsigned char *p, size_t len, size_t *to_ignore)
{
	while (len) {
		size_t n = *to_ignore;

		if (!n && len == 5 && p[0] == KEY_UPDATE && p[1] == 0 &&
		    p[2] == 0 && p[3] == 1 && p[4] <= 1)
			return p[4] ? NBD_TLS_NEW_KEYS : NBD_TLS_NEW_KEY;
		if (!n && (len < 4 || p[0] != NEW_SESSION_TICKET))
			return NBD_E_TLS;
		if (!n)
			n = 4 + (size_t)(p[1] << 16 | p[2] << 8 | p[3]);
		*to_ignore = n > len ? n - len : 0;
		n = n > len ? len : n;
		p += n;
		len -= n;
	}
	return 0;
}

int nbd_tls_other_13(unsigned type, const unsigned char *p, size_t len,
		     size_t *to_ignore)
{
	if (type == NBD_TLS_HANDSHAKE)
		return handshake_13(p, len, to_ignore);
	if (type != NBD_TLS_ALERT || len != 2)
		return NBD_E_TLS;
	if (p[1] == USER_CANCELED)
		return 0;
	return p[1] == NBD_TLS_CLOSE_NOTIFY ? NBD_TLS_GOODBYE : NBD_E_TLS;
}
