/* SPDX-License-Identifier: BSD-2-Clause */
/* What failures are called, what they mean, and what to do about them. */
#include "core/nbd.h"

/* Indexed by -err. */
static const struct {
	const char *text, *hint;
	bool outage;
} table[] = {
#define E(name, text, hint)	 [-(name)] = { text, hint, false }
#define OUTAGE(name, text, hint) [-(name)] = { text, hint, true }
	E(NBD_OK, "no error", ""),
	E(NBD_E_PARAM, "internal error: contract broken", "report it"),
	E(NBD_E_NOT_NBD, "this is not an NBD server",
	  "check the host and the port"),
	E(NBD_E_OLDSTYLE, "the server speaks only the oldstyle handshake",
	  "use a newer server, or nbdkit -n"),
	E(NBD_E_NOT_FIXED, "the server knows no options (not fixed newstyle)",
	  "use a newer server"),
	E(NBD_E_PROTOCOL, "the server broke the NBD protocol",
	  "check the port; else it is a server's fault"),
	E(NBD_E_LENGTH, "the server sent a length that cannot be",
	  "this is a server's fault"),
	E(NBD_E_SIZE, "the export is larger than 2^63 - 1 bytes",
	  "serve a smaller one"),
	E(NBD_E_BLOCK, "the server's block sizes contradict the protocol",
	  "mend the server's configuration"),
	OUTAGE(NBD_E_CUT, "the server closed the connection",
	       "see the server's log"),
	E(NBD_E_BUSY, "too many requests in flight", ""),
	E(NBD_E_UNSUP, "the server does not know this option",
	  "use a newer server"),
	E(NBD_E_POLICY, "the server forbids it",
	  "see the server's access rules"),
	E(NBD_E_INVALID, "the server found the request malformed",
	  "check the export name"),
	E(NBD_E_PLATFORM, "the server was built without it", ""),
	E(NBD_E_TLS_REQD, "the server requires TLS",
	  "use nbds:// in place of nbd://"),
	E(NBD_E_NO_EXPORT, "the server has no export",
	  "`nbdboot exports HOST` lists them"),
	OUTAGE(NBD_E_SHUTDOWN, "the server is shutting down",
	       "try again when it is back"),
	E(NBD_E_BLOCK_REQD, "the server demands its own block sizes", ""),
	E(NBD_E_TOO_BIG, "the server found the request too big", ""),
	E(NBD_E_REFUSED_OPT, "the server refused", ""),
	E(NBD_E_NO_TLS, "the server does not offer TLS, which nbds:// demands",
	  "switch TLS on in the server"),
	OUTAGE(NBD_E_AGAIN, "not now", ""),
	E(NBD_E_IO, "input/output error", ""),
	OUTAGE(NBD_E_RESOLVE, "the host name has no address",
	       "check the spelling and /etc/resolv.conf"),
	OUTAGE(NBD_E_REFUSED, "connection refused",
	       "check that the server runs there"),
	OUTAGE(NBD_E_UNREACHABLE, "the server cannot be reached",
	       "check the link, the address and the route"),
	OUTAGE(NBD_E_RESET, "the connection was reset", "see the server's log"),
	OUTAGE(NBD_E_TIMEOUT, "no answer in time",
	       "check the server and the firewalls between"),
	E(NBD_E_PERM, "permission denied", "run it as root"),
	E(NBD_E_NO_DRIVER, "the kernel has no nbd driver",
	  "install this kernel's nbd.ko"),
	E(NBD_E_NO_DEVICE, "no such device, or not connected",
	  "`nbdboot list` shows those that are"),
	E(NBD_E_IN_USE, "the device is in use",
	  "`nbdboot list` shows by whom; -d takes another"),
	E(NBD_E_MULTI_CONN, "the server does not allow several connections",
	  "leave out -c, or allow multi-conn in the server"),
	E(NBD_E_MISMATCH, "the connections disagree about the export",
	  "serve the same export on every connection"),
	E(NBD_E_KERNEL, "the kernel refused", "see dmesg"),
	E(NBD_E_URI, "malformed NBD URI", "write nbd://HOST[:PORT]/EXPORT"),
	E(NBD_E_NO_MEMORY, "too long or too large", ""),
	E(NBD_E_NOT_FOUND, "not found", ""),
	E(NBD_E_USAGE, "wrong usage", "see `nbdboot help`"),
#undef E
#undef OUTAGE
};

static unsigned index_of(int err)
{
	return err <= 0 && err > NBD_E_LAST ? (unsigned)-err
					    : (unsigned)-NBD_E_IO;
}

const char *nbd_err_text(int err)
{
	return table[index_of(err)].text;
}

const char *nbd_err_hint(int err)
{
	return table[index_of(err)].hint;
}

bool nbd_err_is_outage(int err)
{
	return table[index_of(err)].outage;
}
