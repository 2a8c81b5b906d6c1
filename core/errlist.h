/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * E(name, text, hint) for every error; OUTAGE() if the failure may pass by
 * itself.  err.c includes this list several times.
 */
/* What only Linux has is not named elsewhere, as in front of firmware. */
#ifdef CONFIG_CORE_LINUX
#define LINUX(text, elsewhere) text
#else
#define LINUX(text, elsewhere) elsewhere
#endif
E(NBD_OK, "no error", "")
E(NBD_E_PARAM, "internal error: broken contract", "report this as a bug")
E(NBD_E_NOT_NBD, "this is not an NBD server", "check the host and the port")
E(NBD_E_OLDSTYLE, "the server speaks only the oldstyle handshake",
  "use a newer server, or nbdkit -n")
E(NBD_E_NOT_FIXED, "the server supports no options (not fixed newstyle)",
  "use a newer server")
E(NBD_E_PROTOCOL, "the server broke the NBD protocol",
  "check the port; if it is right, the server has a bug")
E(NBD_E_LENGTH, "the server sent an invalid length", "the server has a bug")
E(NBD_E_SIZE, "the export is larger than 2^63 - 1 bytes",
  "check the size of the export")
E(NBD_E_BLOCK, "the server's block sizes violate the protocol",
  "correct the server's configuration")
OUTAGE(NBD_E_CUT, "the server closed the connection", "see the server's log")
E(NBD_E_BUSY, "too many requests in flight", "")
E(NBD_E_UNSUP, "the server does not support this option", "use a newer server")
E(NBD_E_POLICY, "the server forbids it", "see the server's access rules")
E(NBD_E_INVALID, "the server found the request malformed",
  "check the export name")
E(NBD_E_PLATFORM, "the server was built without this feature", "")
E(NBD_E_TLS_REQD, "the server requires TLS", "use nbds:// in place of nbd://")
E(NBD_E_NO_EXPORT, "the server has no export",
  "`nbdboot exports HOST` lists them")
OUTAGE(NBD_E_SHUTDOWN, "the server is shutting down",
       "try again when it is back")
E(NBD_E_BLOCK_REQD, "the server requires clients to obey its block sizes", "")
E(NBD_E_TOO_BIG, "the server found the option too big", "")
E(NBD_E_REFUSED_OPT, "the server refused", "")
E(NBD_E_NO_TLS, "the server does not offer TLS, which nbds:// demands",
  "enable TLS on the server")
OUTAGE(NBD_E_AGAIN, "not ready yet", "")
E(NBD_E_IO, "input/output error", "")
OUTAGE(NBD_E_RESOLVE, "the host name has no address",
       LINUX("check the spelling and /etc/resolv.conf",
	     "check the spelling and the name server"))
OUTAGE(NBD_E_REFUSED, "connection refused", "check that the server runs there")
OUTAGE(NBD_E_UNREACHABLE, "the server cannot be reached",
       "check the link, the address and the route")
OUTAGE(NBD_E_RESET, "the connection was reset", "see the server's log")
OUTAGE(NBD_E_TIMEOUT, "no answer in time",
       "check the server and the firewalls between")
E(NBD_E_PERM, "permission denied", LINUX("run it as root", ""))
E(NBD_E_NO_DRIVER, LINUX("the kernel has no nbd driver", ""),
  LINUX("install this kernel's nbd.ko", ""))
E(NBD_E_NO_DEVICE, "no such device, or not connected",
  LINUX("`nbdboot list` shows the connected ones", ""))
E(NBD_E_IN_USE, "the device is in use", "")
E(NBD_E_MULTI_CONN, "the server does not allow several connections",
  LINUX("ask for one, or allow multi-conn on the server",
	"allow multi-conn on the server"))
E(NBD_E_MISMATCH, "the connections disagree about the export", "")
E(NBD_E_KERNEL, LINUX("the kernel refused", ""), LINUX("see dmesg", ""))
E(NBD_E_URI, "malformed NBD URI", "write nbd://HOST[:PORT]/EXPORT")
E(NBD_E_NO_MEMORY, "too long or too large", "")
E(NBD_E_NOT_FOUND, "not found", "")
E(NBD_E_USAGE, "wrong usage", LINUX("see `nbdboot help`", ""))
#ifdef CONFIG_CORE_IO
#define IO(text) text
#else
#define IO(text) ""
#endif
E(NBD_E_RANGE, IO("beyond the end of the export"), "")
E(NBD_E_ALIGN, IO("not a multiple of the server's block size"), "")
E(NBD_E_PAYLOAD, IO("longer than the server accepts"), "")
E(NBD_E_NOT_OFFERED, IO("the server does not offer it"), "")
E(NBD_E_READ_ONLY, IO("the export is read-only"), IO("export it writable"))
#ifdef CONFIG_CORE_STATUS
#define STATUS(text) text
#else
#define STATUS(text) ""
#endif
E(NBD_E_NO_CONTEXT, STATUS("the server has no such metadata context"), "")
#undef STATUS
E(NBD_E_EMPTY, IO("a request of 0 bytes"), "")
E(NBD_E_LONG, IO("the server accepts no requests of 4 GiB or more"), "")
E(NBD_E_PARTIAL, IO("the server answered only part of the request"),
  IO("the server has a bug"))
E(NBD_E_SCATTERED, IO("the server sent the data in too many pieces"),
  IO("use simple replies"))
#undef IO
#ifdef CONFIG_CORE_TLS
#define TLS(text) text
#else
#define TLS(text) ""
#endif
E(NBD_E_TLS, TLS("TLS failed"), TLS("see the server's log"))
E(NBD_E_CREDENTIAL, TLS("unusable credentials"), "")
E(NBD_E_CERT, TLS("the server's certificate is not trusted"),
  TLS("-A or tls-certificates= names its CA"))
E(NBD_E_CERT_NAME, TLS("the server's certificate is for another name"),
  TLS("tls-hostname= overrides the name that is checked"))
E(NBD_E_CERT_TIME, TLS("the server's certificate is not valid now"),
  TLS("set the clock, or renew the certificate"))
E(NBD_E_CLIENT_CERT, TLS("the server rejects the client certificate"),
  TLS("--cert, --key or tls-certificates= name ours"))
E(NBD_E_PSK, TLS("the server refused the pre-shared key"),
  TLS("compare user name and key with the server's"))
E(NBD_E_TLS_KERNEL, TLS("the kernel has no TLS"),
  TLS("install tls.ko and the cipher modules"))
#undef TLS
E(NBD_E_INTERRUPTED, "interrupted", "")
OUTAGE(NBD_E_NO_SOCKET, LINUX("there is no such socket", ""),
       LINUX("check that the server runs there", ""))
#undef LINUX
