/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of nbdboot-lwip. */
#include "boot/lwip/lwip.h"

#include <string.h>

static const char usage[] =
	"usage: nbdboot-lwip OPTIONS info URI\n"
	"       nbdboot-lwip OPTIONS copy URI FILE\n"
	"       nbdboot-lwip OPTIONS check URI      write and read blocks\n"
	"  -i NAME   a tap device, made unless it is there\n"
	"  -p NAME   any other interface, by packets (without offloads)\n"
	"  -f FD     a socket that carries frames\n"
	"  -s        the system's sockets in place of lwIP, to compare\n"
	"  -a ADDRESS/LENGTH[,ROUTER[,DNS]]   in place of DHCP\n"
	"  -m MAC    of a tap or a socket (02:6e:62:64:00:01)\n"
	"  -q N      requests in flight (8)\n"
	"  -b N      KiB of one request (256)\n"
	"  -t N      s that an outage may last (60)\n"
	"  -T N      s that a connection may be silent (30)\n"
	"  -n N      steps of check (2000)\n"
	"  -r N      seed of check (1)\n"
	"  -C N      connections, if the server allows several (1)\n"
	"  -c FILE   CA of an nbds:// server\n"
	"  -v        print the version of lwIP, and counters\n";

static int wrong(const char *option, const char *value)
{
	lwip_say(2, "nbdboot-lwip: %s \"%s\" is wrong\n", option,
		 value ? value : "");
	lwip_say(2, usage);
	return NBD_E_USAGE;
}

static bool parse_mac(const char *text, unsigned char mac[6])
{
	static const char digits[] = "0123456789abcdef";
	const char *high, *low;

	for (unsigned i = 0; i < 6; i++, text += 3) {
		high = *text ? strchr(digits, text[0] | 0x20) : NULL;
		low = high && text[1] ? strchr(digits, text[1] | 0x20) : NULL;
		if (!low || text[2] != (i < 5 ? ':' : '\0'))
			return false;
		mac[i] = (unsigned char)((high - digits) << 4 | (low - digits));
	}
	return true;
}

/* Copies up to the first of the characters; returns what is behind it. */
static const char *cut(const char *from, const char *at, char to[64])
{
	size_t len = strcspn(from, at);

	if (len > 63)
		len = 63;
	memcpy(to, from, len);
	to[len] = '\0';
	return from[len] ? from + len + 1 : from + len;
}

static bool parse_ip4(const char *text, struct nbd_ip *addr)
{
	return nbd_ip_parse(addr, text) && addr->len == 4;
}

static bool parse_address(const char *text, struct lwnet_by_hand *by_hand)
{
	struct nbd_ip *const more[] = { &by_hand->router, &by_hand->dns[0] };
	char part[64];
	long bits;

	text = cut(text, "/", part);
	if (!parse_ip4(part, &by_hand->ip))
		return false;
	text = cut(text, ",", part);
	bits = nbd_number(part, 1, 32);
	if (bits < 1)
		return false;
	by_hand->ip.prefix = (uint8_t)bits;
	for (unsigned i = 0; i < 2 && *text; i++) {
		text = cut(text, ",", part);
		if (!parse_ip4(part, more[i]))
			return false;
	}
	return !*text;
}

static bool parse_number(const char *text, long max, unsigned *to)
{
	long n = nbd_number(text, 0, max);

	*to = (unsigned)n;
	return n >= 0;
}

static bool parse_option(struct lwip_options *o, char c, const char *value)
{
	unsigned fd;
	bool right = true;

	switch (c) {
	case 'i':
		o->tap = value;
		break;
	case 'p':
		o->packet = value;
		break;
	case 'c':
		o->ca = value;
		break;
	case 'f':
		right = parse_number(value, 65535, &fd);
		o->fd = (int)fd;
		break;
	case 'a':
		return parse_address(value, &o->net.ip4);
	case 'm':
		return parse_mac(value, o->mac);
	case 'C':
		return parse_number(value, NBD_DISK_LINKS, &o->connections);
	case 'q':
		return parse_number(value, LWIP_DEPTH, &o->depth) && o->depth;
	case 'b':
		right = parse_number(value, 256, &o->piece) && o->piece;
		o->piece *= 1024;
		break;
	case 't':
		return parse_number(value, 100000, &o->patience);
	case 'T':
		return parse_number(value, 100000, &o->silence);
	case 'n':
		return parse_number(value, INT32_MAX, &o->steps);
	case 'r':
		return parse_number(value, INT32_MAX, &o->seed);
	default:
		return false;
	}
	return right;
}

int lwip_parse(struct lwip_options *o, char *argv[])
{
	*o = (struct lwip_options){
		.fd = -1,
		.depth = 8,
		.piece = 256u << 10,
		.patience = 60,
		.silence = 30,
		.seed = 1,
		.steps = 2000,
		.mac = { 2, 'n', 'b', 'd', 0, 1 },
	};
	for (argv++; *argv && argv[0][0] == '-'; argv++) {
		char c = argv[0][1];

		if (c == 's')
			o->sockets = true;
		else if (c == 'v')
			o->verbose = true;
		else if (!c || argv[0][2] || !argv[1] ||
			 !parse_option(o, c, argv[1]))
			return wrong(argv[0], argv[1]);
		else
			argv++;
	}
	o->words = argv;
	while (argv[o->n_words])
		o->n_words++;
	if (!o->tap && !o->packet && o->fd < 0 && !o->sockets)
		return wrong("one of -i, -p, -f and -s", "");
	return o->n_words >= 2 ? 0 : wrong("the command", argv[0]);
}
