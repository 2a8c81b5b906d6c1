/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.balance: which of several servers a machine asks first, second and so
 * on, by a hash of its MAC address.  Each order has as many machines, so that
 * those of a server that fails spread over all others.
 */
#include "boot/root/connect.h"

#include "boot/words/word.h"

const struct word root_balance_words[] = {
	WORD("nbdboot.balance", balance, WORD_YES, WORD_OURS), WORD_END
};

/* FNV-1a, and the end of MurmurHash3: its low bits are to depend on all. */
static uint32_t hash_of(const char *p)
{
	uint32_t hash = 2166136261u;

	for (; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619u;
	hash = (hash ^ hash >> 16) * 0x85ebca6bu;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
	return hash ^ hash >> 16;
}

void root_balance(struct root_spec *r, const struct root_machine *m)
{
	uint32_t hash = hash_of(m->mac);

	if (!r->cmd->balance || !m->mac[0])
		return;
	for (unsigned i = r->uris; i > 1; i--) {
		struct nbd_uri last = r->uri[i - 1];

		r->uri[i - 1] = r->uri[hash % i];
		r->uri[hash % i] = last;
		hash /= i;
	}
}
