/* SPDX-License-Identifier: BSD-2-Clause */
/* The text and the hint of every error. */
#include "core/nbd_io.h"

/*
 * All texts and hints in one struct, and the offset of each: a table of
 * pointers would be larger than the texts, and need relocations.
 */
#define OUTAGE(name, text, hint) E(name, text, hint)
#define E(name, text, hint)          \
	char t_##name[sizeof(text)]; \
	char h_##name[sizeof(hint)];
struct texts {
#include "core/errlist.h"
};
#undef E

#define E(name, text, hint) .t_##name = { text }, .h_##name = { hint },
static const struct texts texts = {
#include "core/errlist.h"
};
#undef E

/* Indexed by -err. */
#define E(name, text, hint) [-(name)] = offsetof(struct texts, t_##name),
static const uint16_t begin[] = {
#include "core/errlist.h"
};
#undef E
#undef OUTAGE

#define E(name, text, hint)
#define OUTAGE(name, text, hint) | (uint64_t)1 << -(name)
static const uint64_t outages = 0
#include "core/errlist.h"
	;
#undef E
#undef OUTAGE

_Static_assert(sizeof(begin) / sizeof(begin[0]) == -NBD_E_LAST,
	       "every error has a text");
_Static_assert(-NBD_E_LAST <= 64, "outages are bits");

static unsigned index_of(int err)
{
	return err <= 0 && err > NBD_E_LAST ? (unsigned)-err
					    : (unsigned)-NBD_E_IO;
}

const char *nbd_err_text(int err)
{
	return (const char *)&texts + begin[index_of(err)];
}

const char *nbd_err_hint(int err)
{
	const char *p = nbd_err_text(err);

	while (*p++)
		;
	return p;
}

bool nbd_err_is_outage(int err)
{
	return outages >> index_of(err) & 1;
}

const char *nbd_result_text(int result)
{
	static const struct {
		int error;
		const char *text;
	} wire[] = {
		{ NBD_EPERM, "operation not permitted" },
		{ NBD_EIO, "input/output error" },
		{ NBD_ENOMEM, "the server is out of memory" },
		{ NBD_ENOSPC, "no space left on the server" },
		{ NBD_EOVERFLOW, "the request was too large" },
		{ NBD_ENOTSUP, "not supported, or not fast" },
		{ NBD_ESHUTDOWN, "the server is shutting down" },
	};

	if (result <= 0)
		return nbd_err_text(result);
	for (unsigned i = 0; i < sizeof(wire) / sizeof(wire[0]); i++)
		if (wire[i].error == result)
			return wire[i].text;
	return "the server found the request invalid";
}
