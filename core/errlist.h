/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * E(name, text, hint) of every error, OUTAGE() where it may pass without
 * anybody's help.  err.c includes it more than once.
 */
E(NBD_OK, "no error", "")
E(NBD_E_PARAM, "internal error: contract broken", "report it")
E(NBD_E_NOT_NBD, "this is not an NBD server", "check the host and the port")
E(NBD_E_OLDSTYLE, "the server speaks only the oldstyle handshake",
  "use a newer server, or nbdkit -n")
E(NBD_E_NOT_FIXED, "the server knows no options (not fixed newstyle)",
  "use a newer server")
E(NBD_E_PROTOCOL, "the server broke the NBD protocol",
  "check the port; else it is a server's fault")
E(NBD_E_LENGTH, "the server sent a length that cannot be",
  "this is a server's fault")
E(NBD_E_SIZE, "the export is larger than 2^63 - 1 bytes", "serve a smaller one")
E(NBD_E_BLOCK, "the server's block sizes contradict the protocol",
  "mend the server's configuration")
OUTAGE(NBD_E_CUT, "the server closed the connection", "see the server's log")
E(NBD_E_BUSY, "too many requests in flight", "")
E(NBD_E_UNSUP, "the server does not know this option", "use a newer server")
E(NBD_E_POLICY, "the server forbids it", "see the server's access rules")
E(NBD_E_INVALID, "the server found the request malformed",
  "check the export name")
E(NBD_E_PLATFORM, "the server was built without it", "")
E(NBD_E_TLS_REQD, "the server requires TLS", "use nbds:// in place of nbd://")
E(NBD_E_NO_EXPORT, "the server has no export",
  "`nbdboot exports HOST` lists them")
OUTAGE(NBD_E_SHUTDOWN, "the server is shutting down",
       "try again when it is back")
E(NBD_E_BLOCK_REQD, "the server demands its own block sizes", "")
E(NBD_E_TOO_BIG, "the server found the request too big", "")
E(NBD_E_REFUSED_OPT, "the server refused", "")
E(NBD_E_NO_TLS, "the server does not offer TLS, which nbds:// demands",
  "switch TLS on in the server")
OUTAGE(NBD_E_AGAIN, "not now", "")
E(NBD_E_IO, "input/output error", "")
OUTAGE(NBD_E_RESOLVE, "the host name has no address",
       "check the spelling and /etc/resolv.conf")
OUTAGE(NBD_E_REFUSED, "connection refused", "check that the server runs there")
OUTAGE(NBD_E_UNREACHABLE, "the server cannot be reached",
       "check the link, the address and the route")
OUTAGE(NBD_E_RESET, "the connection was reset", "see the server's log")
OUTAGE(NBD_E_TIMEOUT, "no answer in time",
       "check the server and the firewalls between")
E(NBD_E_PERM, "permission denied", "run it as root")
E(NBD_E_NO_DRIVER, "the kernel has no nbd driver",
  "install this kernel's nbd.ko")
E(NBD_E_NO_DEVICE, "no such device, or not connected",
  "`nbdboot list` shows those that are")
E(NBD_E_IN_USE, "the device is in use",
  "`nbdboot list` shows by whom; -d takes another")
E(NBD_E_MULTI_CONN, "the server does not allow several connections",
  "leave out -c, or allow multi-conn in the server")
E(NBD_E_MISMATCH, "the connections disagree about the export",
  "serve the same export on every connection")
E(NBD_E_KERNEL, "the kernel refused", "see dmesg")
E(NBD_E_URI, "malformed NBD URI", "write nbd://HOST[:PORT]/EXPORT")
E(NBD_E_NO_MEMORY, "too long or too large", "")
E(NBD_E_NOT_FOUND, "not found", "")
E(NBD_E_USAGE, "wrong usage", "see `nbdboot help`")
#ifdef CONFIG_CORE_IO
#define IO(text) text
#else
#define IO(text) ""
#endif
E(NBD_E_RANGE, IO("beyond the end of the export"), "")
E(NBD_E_ALIGN, IO("not a multiple of the server's block size"), "")
E(NBD_E_PAYLOAD, IO("more than the server takes at once"), "")
E(NBD_E_NOT_OFFERED, IO("the server does not offer it"), "")
E(NBD_E_READ_ONLY, IO("the export is read-only"), IO("serve it writable"))
E(NBD_E_NO_CONTEXT, IO("the server has no such metadata context"), "")
E(NBD_E_EMPTY, IO("a request for no bytes"), "")
E(NBD_E_LONG, IO("the server has no requests of 4 GiB"), "")
E(NBD_E_PARTIAL, IO("the server answered a part only"),
  IO("this is a server's fault"))
E(NBD_E_SCATTERED, IO("the server's answer is too scattered"),
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
E(NBD_E_CLIENT_CERT, TLS("the server wants another client certificate"),
  TLS("-C and -K, or tls-certificates=, name ours"))
E(NBD_E_PSK, TLS("the server refused the pre-shared key"),
  TLS("compare user name and key"))
E(NBD_E_TLS_KERNEL, TLS("the kernel has no TLS"),
  TLS("install tls.ko and its ciphers"))
#undef TLS
E(NBD_E_INTERRUPTED, "interrupted", "")
