/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of network cards by their MAC or their place (systemd.net-naming). */
#include "port/linux/iface_path.h"

#include <string.h>
#include <unistd.h>

#include "core/nbd_uri.h"

static bool is_mac(const struct iface *iface, const char *name)
{
	char own[16];
	const unsigned char *m = iface->mac;

	nbd_fmt(own, sizeof(own), "enx%02x%02x%02x%02x%02x%02x", m[0], m[1],
		m[2], m[3], m[4], m[5]);
	return !strcmp(name, own);
}

/* "0000:04:00.0/..." */
struct place {
	unsigned domain, bus, slot, function;
};

static bool read_place(const char *p, struct place *at)
{
	/* where its bytes are */
	static const uint8_t places[] = { 0, 2, 5, 8 };
	int byte[4];

	if (strlen(p) < sizeof("0000:04:00.0"))
		return false;
	for (unsigned i = 0; i < 4; i++) {
		byte[i] = nbd_hex_byte(p + places[i]);
		if (byte[i] < 0)
			return false;
	}
	if (p[4] != ':' || p[7] != ':' || p[10] != '.' || p[11] < '0' ||
	    p[11] > '7' || p[12] != '/')
		return false;
	*at = (struct place){ (unsigned)(byte[0] << 8 | byte[1]),
			      (unsigned)byte[2], (unsigned)byte[3],
			      (unsigned)(p[11] - '0') };
	return true;
}

bool iface_path_names(const char *sys, const char *name)
{
	struct place at, last = { 0 };
	bool found = false;
	char own[40];
	int n;

	/* the last one is the card, those before it are bridges */
	for (; sys; sys = strchr(sys, '/')) {
		sys += *sys == '/';
		if (read_place(sys, &at)) {
			found = true;
			last = at;
		}
	}
	if (!found)
		return false;
	n = last.domain ? nbd_fmt(own, sizeof(own), "enP%u", last.domain)
			: nbd_fmt(own, sizeof(own), "en");
	n += nbd_fmt(own + n, sizeof(own) - (size_t)n, "p%us%u", last.bus,
		     last.slot);
	/* that of the first function is there if the card has several */
	if (!last.function && !strcmp(own, name))
		return true;
	nbd_fmt(own + n, sizeof(own) - (size_t)n, "f%u", last.function);
	return !strcmp(own, name);
}

bool iface_path_is(const struct iface *iface, const char *name)
{
	char path[64], to[256];
	ssize_t n;

	if (!iface->ether || strncmp(name, "en", 2) != 0)
		return false;
	if (is_mac(iface, name))
		return true;
	nbd_fmt(path, sizeof(path), "/sys/class/net/%s", iface->name);
	n = readlink(path, to, sizeof(to) - 1);
	to[n > 0 ? n : 0] = '\0';
	return iface_path_names(to, name);
}
