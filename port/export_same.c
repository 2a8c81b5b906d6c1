/* SPDX-License-Identifier: BSD-2-Clause */
/* The one comparison of exports. */
#include "port/export_same.h"
#include "core/nbd_io.h"

#define HINT " (serve the same export on every connection)"

static int lacks(unsigned lost, struct nbd_diag *d)
{
	static const struct {
		unsigned flag;
		const char *name;
	} names[] = {
		{ NBD_FLAG_SEND_FLUSH, "flush" },
		{ NBD_FLAG_SEND_FUA, "FUA" },
		{ NBD_FLAG_SEND_TRIM, "trim" },
		{ NBD_FLAG_SEND_WRITE_ZEROES, "writing zeroes" },
	};
	const char *name = "a feature";

	if (lost == NBD_FLAG_CAN_MULTI_CONN)
		return nbd_diag(d, NBD_E_MULTI_CONN,
				"the server no longer allows several "
				"connections");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (lost & names[i].flag) {
			name = names[i].name;
			break;
		}
	return nbd_diag(d, NBD_E_MISMATCH,
			"the export no longer supports %s, which the device "
			"relies on",
			name);
}

int nbd_export_fits(const struct nbd_relied *r, const struct nbd_export *e,
		    struct nbd_diag *d)
{
	unsigned lost = r->flags & ~(unsigned)e->flags;

	if (e->size < r->size)
		return nbd_diag(d, NBD_E_SIZE,
				"the export has %llu bytes, the device has "
				"%llu: the data beyond would be lost",
				(unsigned long long)e->size,
				(unsigned long long)r->size);
	if (r->fixed && e->size > r->size)
		return nbd_diag(d, NBD_E_SIZE,
				"the export has %llu bytes, the device has "
				"%llu and cannot grow",
				(unsigned long long)e->size,
				(unsigned long long)r->size);
	if (!r->read_only && e->flags & NBD_FLAG_READ_ONLY)
		return nbd_diag(d, NBD_E_MISMATCH,
				"the export is read-only, the device is not");
	if (lost)
		return lacks(lost, d);
	if (e->has_block && e->min_block > r->block)
		return nbd_diag(d, NBD_E_BLOCK,
				"the server's minimum block size is %u bytes, "
				"the device's is %u",
				(unsigned)e->min_block, (unsigned)r->block);
	if (nbd_export_max(e) < r->longest)
		return nbd_diag(d, NBD_E_PAYLOAD,
				"the server accepts %u bytes at once, the "
				"device sends up to %u",
				nbd_export_max(e), (unsigned)r->longest);
	return 0;
}

unsigned nbd_export_max(const struct nbd_export *e)
{
	return e->has_block ? e->max_payload : NBD_PAYLOAD_DEFAULT;
}

int nbd_export_agree(struct nbd_export *all, const struct nbd_export *e,
		     struct nbd_diag *d)
{
	unsigned max = nbd_export_max(all), other = nbd_export_max(e);
	unsigned min = all->has_block ? all->min_block : 1;

	if (e->size != all->size || e->flags != all->flags)
		return nbd_diag(d, NBD_E_MISMATCH,
				"sizes %llu and %llu, flags 0x%x and 0x%x" HINT,
				(unsigned long long)all->size,
				(unsigned long long)e->size, all->flags,
				e->flags);
	if (!all->has_block && !e->has_block)
		return 0;
	if (e->has_block && e->min_block > min)
		min = e->min_block;
	if (other < max)
		max = other;
	if (max < min)
		return nbd_diag(d, NBD_E_MISMATCH,
				"one accepts at least %u bytes at once, the "
				"other at most %u" HINT,
				min, max);
	all->min_block = min;
	all->max_payload = max;
	all->has_block = true;
	return 0;
}
