/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of TLS 1.2 that are no data, wherever they are decrypted. */
#include "port/tls.h"

#include <string.h>

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
