/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of %m, %u, %s and %h.  The system's UUID and serial number are in
 * the firmware's SMBIOS tables (DSP0134, "System Information").
 */
#include "boot/uefi/program.h"
#include "boot/words/smbios.h"

#include <string.h>

#include "port/le.h"

struct smbios {
	const uint8_t *p;
	size_t len;
	bool mixed; /* the UUID's first fields are little-endian */
};

static const void *table(const struct efi_guid *g)
{
	for (size_t i = 0; i < efi.st->n_config; i++)
		if (!memcmp(&efi.st->config[i].guid, g, sizeof(*g)))
			return efi.st->config[i].table;
	return NULL;
}

static bool find_smbios(struct smbios *s)
{
	const uint8_t *p = table(&efi_guid_smbios3);

	if (p && !memcmp(p, "_SM3_", 5)) {
		s->p = (const uint8_t *)(uintptr_t)le64(p + 16);
		s->len = le32(p + 12);
		s->mixed = true;
		return true;
	}
	p = table(&efi_guid_smbios);
	if (!p || memcmp(p, "_SM_", 4) != 0)
		return false;
	s->p = (const uint8_t *)(uintptr_t)le32(p + 24);
	s->len = (size_t)p[22] | (size_t)p[23] << 8;
	s->mixed = p[6] > 2 || (p[6] == 2 && p[7] >= 6);
	return true;
}

/* String `number` of the structure of len bytes. */
static void copy_string(char *to, size_t cap, const uint8_t *p, size_t len,
			unsigned number)
{
	size_t at = p[1], n = 0;

	while (number > 1 && at < len && p[at]) {
		at += strnlen((const char *)p + at, len - at) + 1;
		number--;
	}
	while (number && at < len && p[at] && n + 1 < cap)
		to[n++] = (char)p[at++];
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = '\0';
}

static void put_uuid(char to[37], const uint8_t *u, bool mixed)
{
	static const uint8_t order[] = { 3, 2, 1,  0,  5,  4,  7,  6,
					 8, 9, 10, 11, 12, 13, 14, 15 };
	struct nbd_out o = { .buf = to, .cap = 36 };

	for (unsigned i = 0; i < 16; i++)
		nbd_putf(&o,
			 i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x"
							       : "%02x",
			 u[mixed ? order[i] : i]);
	to[o.len] = '\0';
}

static void take_system(struct uefi_machine *m, const struct smbios *s)
{
	const uint8_t *p = s->p;
	size_t left = s->len, n;

	for (; (n = smbios_size(p, left)) && p[0] != SMBIOS_END;
	     p += n, left -= n) {
		if (p[0] != SMBIOS_SYSTEM || p[1] < 24)
			continue;
		copy_string(m->serial, sizeof(m->serial), p, n, p[7]);
		put_uuid(m->uuid, p + 8, s->mixed);
		return;
	}
}

void uefi_machine(struct uefi_machine *m, struct root_env *env,
		  const struct uefi_net *n)
{
	struct nbd_out o = { .buf = m->mac, .cap = sizeof(m->mac) - 1 };
	struct smbios s;

	memset(m, 0, sizeof(*m));
	nbd_put_mac(&o, n->mac);
	if (find_smbios(&s))
		take_system(m, &s);
	env->value[ROOT_HOST] = n->lease.host[0] ? n->lease.host : NULL;
	env->value[ROOT_MAC] = m->mac;
	env->value[ROOT_UUID] = m->uuid[0] ? m->uuid : NULL;
	env->value[ROOT_SERIAL] = m->serial[0] ? m->serial : NULL;
}
