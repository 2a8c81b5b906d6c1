/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8: which bytes are a character, and which characters can be shown. */
#include "port/utf8.h"

uint32_t nbd_utf8_point(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	uint32_t v = n == 1 ? u[0] : u[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++)
		v = v << 6 | (u[i] & 0x3fu);
	return v;
}

size_t nbd_utf8_valid(const char *p, size_t len)
{
	/* the smallest code point of n bytes: a smaller one is overlong */
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *u = (const unsigned char *)p;
	uint32_t v;
	size_t n;

	if (u[0] < 0x80)
		return 1;
	n = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (u[0] < 0xc2 || u[0] > 0xf4 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	v = nbd_utf8_point(p, n);
	if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	return n;
}

size_t nbd_utf8_printable(const char *p, size_t len)
{
	static const uint16_t hidden[][2] = {
		{ 0x0000, 0x001f }, /* C0 controls */
		{ 0x007f, 0x009f }, /* DEL, C1 controls */
		{ 0x061c, 0x061c }, /* Arabic letter mark */
		{ 0x200b, 0x200f }, /* no width; direction marks */
		{ 0x2028, 0x202e }, /* line ends, overrides of direction */
		{ 0x2060, 0x206f }, /* joiners, isolates of direction */
		{ 0xfeff, 0xfeff }, /* byte order mark */
	};
	size_t n = nbd_utf8_valid(p, len);
	uint32_t v = n ? nbd_utf8_point(p, n) : 0;

	for (unsigned i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (v >= hidden[i][0] && v <= hidden[i][1])
			return 0;
	return n;
}
