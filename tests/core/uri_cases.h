/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that are URIs, and what they mean; texts that are not, and why. */
#ifndef TESTS_URI_CASES_H
#define TESTS_URI_CASES_H

#include <stdbool.h>
#include <stddef.h>

/* What a URI means; NULL stands for "", port 0 for the default. */
struct good {
	const char *text, *canonical;
	const char *host, *user, *socket, *name;
	unsigned port;
	bool tls, is_unix;
};

static const struct good good[] = {
	/* the table of uri.md, "NBD URI export name" */
	{ "nbd://example.com/disk", "nbd://example.com/disk",
	  .host = "example.com", .name = "disk" },
	{ "nbd+unix:///disk?socket=sock", "nbd+unix:///disk?socket=sock",
	  .is_unix = true, .socket = "sock", .name = "disk" },
	{ "nbd://example.com/", "nbd://example.com/", .host = "example.com" },
	{ "nbd://example.com", "nbd://example.com/", .host = "example.com" },
	{ "nbd://example.com//disk", "nbd://example.com//disk",
	  .host = "example.com", .name = "/disk" },
	{ "nbd://example.com/hello%20world", "nbd://example.com/hello%20world",
	  .host = "example.com", .name = "hello world" },
	{ "nbd://example.com:10809/export", "nbd://example.com/export",
	  .host = "example.com", .name = "export" },
	{ "nbd+unix:///export?socket=nbd.sock",
	  "nbd+unix:///export?socket=nbd.sock", .is_unix = true,
	  .socket = "nbd.sock", .name = "export" },
	/* schemes */
	{ "nbds://h/x", "nbds://h/x", .tls = true, .host = "h", .name = "x" },
	{ "NBD://h/x", "nbd://h/x", .host = "h", .name = "x" },
	{ "nBdS+uNiX:///?socket=/S", "nbds+unix:///?socket=/S", .tls = true,
	  .is_unix = true, .socket = "/S" },
	/* without an authority, as RFC 3986 has it */
	{ "nbd+unix:?socket=s", "nbd+unix:///?socket=s", .is_unix = true,
	  .socket = "s" },
	{ "nbd+unix:/n?socket=s", "nbd+unix:///n?socket=s", .is_unix = true,
	  .socket = "s", .name = "n" },
	{ "nbd+unix:n?socket=s", "nbd+unix:///n?socket=s", .is_unix = true,
	  .socket = "s", .name = "n" },
	{ "nbd+unix://?socket=s", "nbd+unix:///?socket=s", .is_unix = true,
	  .socket = "s" },
	{ "nbd+unix:////n?socket=s", "nbd+unix:////n?socket=s", .is_unix = true,
	  .socket = "s", .name = "/n" },
	/* ports */
	{ "nbd://h:1", "nbd://h:1/", .host = "h", .port = 1 },
	{ "nbd://h:9", "nbd://h:9/", .host = "h", .port = 9 },
	{ "nbd://h:10/", "nbd://h:10/", .host = "h", .port = 10 },
	{ "nbd://h:20304/", "nbd://h:20304/", .host = "h", .port = 20304 },
	{ "nbd://h:65535?", "nbd://h:65535/", .host = "h", .port = 65535 },
	{ "nbd://h:/n", "nbd://h/n", .host = "h", .name = "n" },
	{ "nbd://h:00000010810", "nbd://h:10810/", .host = "h", .port = 10810 },
	/* hosts */
	{ "nbd://192.0.2.1:99/", "nbd://192.0.2.1:99/", .host = "192.0.2.1",
	  .port = 99 },
	{ "nbd://[::1]", "nbd://[::1]/", .host = "::1" },
	{ "nbd://[2001:db8::7]:7/n", "nbd://[2001:db8::7]:7/n",
	  .host = "2001:db8::7", .port = 7, .name = "n" },
	{ "nbd://[::ffff:192.0.2.1]/", "nbd://[::ffff:192.0.2.1]/",
	  .host = "::ffff:192.0.2.1" },
	{ "nbd://[fe80::1%25eth0]:7/", "nbd://[fe80::1%25eth0]:7/",
	  .host = "fe80::1%eth0", .port = 7 },
	{ "nbd://[FE80::A%25br-lan.2_x~]", "nbd://[FE80::A%25br-lan.2_x~]/",
	  .host = "FE80::A%br-lan.2_x~" },
	{ "nbd://[::1]:", "nbd://[::1]/", .host = "::1" },
	{ "nbd://a-b.c_d~.", "nbd://a-b.c_d~./", .host = "a-b.c_d~." },
	{ "nbd://%68%6Fst", "nbd://host/", .host = "host" },
	/* user names */
	{ "nbds://alice@h/", "nbds://alice@h/", .tls = true, .user = "alice",
	  .host = "h" },
	{ "nbds://a%3Ab%40c!&=@[::1]/", "nbds://a%3Ab%40c!&=@[::1]/",
	  .tls = true, .user = "a:b@c!&=", .host = "::1" },
	{ "nbds+unix://al@/?socket=s", "nbds+unix://al@/?socket=s", .tls = true,
	  .is_unix = true, .user = "al", .socket = "s" },
	{ "nbd://@h/", "nbd://h/", .host = "h" },
	/* names */
	{ "nbd://h/a/b//c/", "nbd://h/a/b//c/", .host = "h",
	  .name = "a/b//c/" },
	{ "nbd://h/%2fa", "nbd://h//a", .host = "h", .name = "/a" },
	{ "nbd://h/../x", "nbd://h/../x", .host = "h", .name = "../x" },
	{ "nbd://h/a%3Fb%23c%25d%5b", "nbd://h/a%3Fb%23c%25d%5B", .host = "h",
	  .name = "a?b#c%d[" },
	{ "nbd://h/%C3%A9%ff%0a%7F", "nbd://h/%C3%A9%FF%0A%7F", .host = "h",
	  .name = "\xc3\xa9\xff\n\x7f" },
	{ "nbd://h/-._~!$&'()*+,;=:@", "nbd://h/-._~!$&'()*+,;=:@", .host = "h",
	  .name = "-._~!$&'()*+,;=:@" },
	{ "nbd://h/a+b%2Bc", "nbd://h/a+b+c", .host = "h", .name = "a+b+c" },
	/* sockets */
	{ "nbd+unix:///?socket=/a%20b%26c=d?e&",
	  "nbd+unix:///?socket=/a%20b%26c=d?e", .is_unix = true,
	  .socket = "/a b&c=d?e" },
	/* queries without a word */
	{ "nbd://h?", "nbd://h/", .host = "h" },
	{ "nbd://h/?&&", "nbd://h/", .host = "h" },
};

/* What is wrong with a text, and where: ^ stands under it. */
struct bad {
	const char *text;
	size_t at;
	const char *wrong; /* a part of the message */
};

static const struct bad bad[] = {
	/* not a URI of ours */
	{ "", 0, "not nbd://" },
	{ "nbd", 0, "not nbd://" },
	{ "/dev/sda", 0, "not nbd://" },
	{ "host:10809", 0, "not nbd://" },
	{ "http://h/", 0, "not nbd://" },
	{ "nbdx://h/", 0, "not nbd://" },
	{ " nbd://h/", 0, "not nbd://" },
	{ "nbd+ssh://h/", 0, "not nbd://" },
	{ "nbd+vsock://1/", 0, "not nbd://" },
	{ "nbd+uni://h", 0, "not nbd://" },
	{ "nbd+unixx://h", 0, "not nbd://" },
	/* QEMU's older notation */
	{ "nbd:localhost:10809", 4, "no //host" },
	{ "nbd:unix:/run/sock", 4, "no //host" },
	/* no host */
	{ "nbd:", 4, "no //host" },
	{ "nbd:/", 4, "no //host" },
	{ "nbd:/n", 4, "no //host" },
	{ "nbd://", 6, "no host" },
	{ "nbd:///n", 6, "no host" },
	{ "nbd://?", 6, "no host" },
	{ "nbd://:10809/", 6, "no host" },
	{ "nbd://u@/", 8, "no host" },
	{ "nbd://u@:1/", 8, "no host" },
	/* hosts that would be options, separators, lines */
	{ "nbd://-oProxyCommand=x/", 6, "not a host" },
	{ "nbd://-h/", 6, "not a host" },
	{ "nbd://%2Dh/", 6, "not a host" },
	{ "nbd://a%20b/", 6, "not a host" },
	{ "nbd://a%0Ab/", 6, "not a host" },
	{ "nbd://a%1Bb/", 6, "not a host" },
	{ "nbd://a%7Fb/", 6, "not a host" },
	{ "nbd://a%2Fb/", 6, "not a host" },
	{ "nbd://a%3Ab/", 6, "not a host" },
	{ "nbd://a%40b/", 6, "not a host" },
	{ "nbd://%5B::1%5D/", 6, "not a host" },
	{ "nbd://h%C3%A9/", 6, "not a host" },
	{ "nbd://a b/", 7, "percent-encoded" },
	{ "nbd://a\nb/", 7, "percent-encoded" },
	{ "nbd://a$b/", 6, "not a host" },
	{ "nbd://a\\b/", 7, "percent-encoded" },
	{ "nbd://u@v@h/", 9, "percent-encoded" },
	{ "nbd://h\xc3\xa9/", 7, "percent-encoded" },
	{ "nbd://%00h/", 6, "NUL" },
	/* IPv6 */
	{ "nbd://[]/", 7, "not an IPv6" },
	{ "nbd://[::1/n", 6, "[ without ]" },
	{ "nbd://[::1/]", 6, "[ without ]" },
	{ "nbd://[::1]x/", 11, "between ]" },
	{ "nbd://[::1]]/", 11, "between ]" },
	{ "nbd://[::g]/", 7, "not an IPv6" },
	{ "nbd://[host]/", 7, "not an IPv6" },
	{ "nbd://[127.0.0.1]/", 7, "not an IPv6" },
	{ "nbd://[v1.x:y]/", 7, "not an IPv6" },
	{ "nbd://[-::1]/", 7, "not an IPv6" },
	{ "nbd://[::1%251 ]/", 14, "percent-encoded" },
	{ "nbd://[[::1]]/", 7, "percent-encoded" },
	{ "nbd://[fe80::1%eth0]/", 14, "%25eth0" },
	{ "nbd://[fe80::1%1a]/", 14, "%25eth0" },
	{ "nbd://[fe80::1%25]/", 14, "%25eth0" },
	{ "nbd://[fe80::1%]/", 14, "%25eth0" },
	{ "nbd://[fe80::1%25e%2Ft]/", 7, "not an IPv6" },
	{ "nbd://[fe80::1%25e%25t]/", 7, "not an IPv6" },
	{ "nbd://fe80::1/", 11, "without [brackets]" },
	{ "nbd://::1/", 6, "no host" },
	{ "nbd://2001:db8::1", 11, "without [brackets]" },
	/* ports */
	{ "nbd://h:0/", 8, "a port" },
	{ "nbd://h:00", 8, "a port" },
	{ "nbd://h:65536/", 8, "a port" },
	{ "nbd://h:655360/", 8, "a port" },
	{ "nbd://h:4294967297/", 8, "a port" },
	{ "nbd://h:18446744073709551617/", 8, "a port" },
	{ "nbd://h:nbd/", 8, "a port" },
	{ "nbd://h:-1/", 8, "a port" },
	{ "nbd://h:+1/", 8, "a port" },
	{ "nbd://h: 1/", 8, "a port" },
	{ "nbd://h:1x/", 8, "a port" },
	{ "nbd://h:%31/", 8, "a port" },
	{ "nbd://[::1]:x/", 12, "a port" },
	/* userinfo */
	{ "nbds://u:secret@h/", 7, "password" },
	{ "nbds://u%00@h/", 8, "NUL" },
	{ "nbds://u%@h/", 8, "two hex" },
	/* escapes */
	{ "nbd://h/%", 8, "two hex" },
	{ "nbd://h/%4", 8, "two hex" },
	{ "nbd://h/a%4?", 9, "two hex" },
	{ "nbd://h/%4g", 8, "two hex" },
	{ "nbd://h/%g4", 8, "two hex" },
	{ "nbd://h/%%41", 8, "two hex" },
	{ "nbd://h/% 41", 8, "two hex" },
	{ "nbd://h/a%00", 9, "NUL" },
	{ "nbd://h/%00", 8, "NUL" },
	{ "nbd+unix:?socket=a%00b", 18, "NUL" },
	{ "nbd+unix:?socket=%00a%00", 21, "NUL" },
	{ "nbd://h/?tls-psk-file=%00", 22, "NUL" },
	/* raw characters */
	{ "nbd://h/a b", 9, "percent-encoded" },
	{ "nbd://h/a\tb", 9, "percent-encoded" },
	{ "nbd://h/a\x01", 9, "percent-encoded" },
	{ "nbd://h/a\x7f", 9, "percent-encoded" },
	{ "nbd://h/a[", 9, "percent-encoded" },
	{ "nbd://h/a\"", 9, "percent-encoded" },
	{ "nbd://h/a|b", 9, "percent-encoded" },
	{ "nbd://h/\xff", 8, "percent-encoded" },
	{ "nbd+unix:?socket=a b", 18, "percent-encoded" },
	/* fragments */
	{ "nbd://h/n#f", 9, "#" },
	{ "nbd://h#", 7, "#" },
	{ "nbd+unix:?socket=s#p2", 18, "#" },
	/* queries */
	{ "nbd://h/?x", 9, "unknown key" },
	{ "nbd://h/?=x", 9, "unknown key" },
	{ "nbd://h/?x-mine=1", 9, "unknown key" },
	{ "nbd://h/?tls-types=psk", 9, "unknown key" },
	{ "nbd://h/?tls%2Dtype=psk", 9, "unknown key" },
	{ "nbd://h/?tls-type=anon&x=1", 23, "unknown key" },
	{ "nbd://h/?tls-type=anon&tls-type=anon", 23, "given twice" },
	{ "nbd+unix:?socket=a&socket=a", 19, "given twice" },
	{ "nbd://h/?tls-type", 17, "without a value" },
	{ "nbd://h/?tls-type=", 17, "without a value" },
	{ "nbd://h/?tls-type=&x", 17, "without a value" },
	{ "nbd://h/?tls-type=none", 18, "not anon" },
	{ "nbd://h/?tls-type=psk2", 18, "not anon" },
	{ "nbd://h/?tls-type=ps", 18, "not anon" },
	{ "nbd://h/?tls-verify-peer=2", 25, "not 0 or 1" },
	{ "nbd://h/?tls-verify-peer=true", 25, "not 0 or 1" },
	{ "nbd://h/?tls-verify-peer=10", 25, "not 0 or 1" },
	{ "nbd://h/?tls-hostname=-x", 22, "not a host" },
	{ "nbd://h/?tls-hostname=a%0Ab", 22, "not a host" },
	{ "nbd://h/?tls-hostname=a,b", 22, "not a host" },
	{ "nbd://h/?socket=s", 9, "without nbd+unix" },
	{ "nbds://h/?socket=s", 10, "without nbd+unix" },
	/* UNIX */
	{ "nbd+unix:", 9, "no socket" },
	{ "nbd+unix:///n", 13, "no socket" },
	{ "nbd+unix:///n?", 14, "no socket" },
	{ "nbd+unix:///?socket=", 19, "without a value" },
	{ "nbd+unix://run/sock?socket=s", 11, "a host in addition" },
	{ "nbd+unix://:1/?socket=s", 11, "a host in addition" },
	{ "nbds+unix://u@h/?socket=s", 14, "a host in addition" },
};

#endif
