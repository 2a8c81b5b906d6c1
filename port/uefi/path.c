/* SPDX-License-Identifier: BSD-2-Clause */
/* Device paths, names of files, files. */
#include "port/uefi/uefi.h"

#include <string.h>

#include "port/le.h"
#include "port/utf8.h"

/* No sound path is longer; a cycle of nodes is none. */
#define LONGEST 4096

static size_t node_len(const struct efi_path *p)
{
	return le16(p->len);
}

const struct efi_path *efi_path_of(efi_handle h)
{
	return efi_protocol(h, &efi_guid_path);
}

size_t efi_path_len(const struct efi_path *p)
{
	const uint8_t *begin = (const uint8_t *)p, *at = begin;

	for (;;) {
		const struct efi_path *node = (const struct efi_path *)at;
		size_t n = node_len(node);

		if (node->type == EFI_PATH_END)
			return (size_t)(at - begin);
		if (n < sizeof(*node) || n > LONGEST - (size_t)(at - begin))
			return 0;
		at += n;
	}
}

bool efi_path_begins(const struct efi_path *path, const struct efi_path *with)
{
	size_t n = efi_path_len(with);

	return n <= efi_path_len(path) && !memcmp(path, with, n);
}

int efi_path_add(void *to, size_t cap, const struct efi_path *base,
		 unsigned type, unsigned subtype, const void *data, size_t len)
{
	const struct efi_path end = { EFI_PATH_END, 0xff, { 4, 0 } };
	size_t n = base ? efi_path_len(base) : 0, node = sizeof(end) + len;
	struct efi_path head = { (uint8_t)type,
				 (uint8_t)subtype,
				 { (uint8_t)node, (uint8_t)(node >> 8) } };
	uint8_t *p = to;

	if (node > 0xffff || n + node + sizeof(end) > cap)
		return NBD_E_NO_MEMORY;
	if (n)
		memcpy(p, base, n);
	memcpy(p + n, &head, sizeof(head));
	memcpy(p + n + sizeof(head), data, len);
	memcpy(p + n + node, &end, sizeof(end));
	return (int)(n + node + sizeof(end));
}

int efi_widen(efi_char *to, size_t cap, const char *from, bool path)
{
	size_t len = strlen(from), n = 0;

	while (len) {
		size_t k = nbd_utf8_valid(from, len);
		uint32_t c = k ? nbd_utf8_point(from, k) : '?';

		if (n + 1 >= cap)
			return NBD_E_NO_MEMORY;
		to[n++] = path && c == '/' ? '\\'
			  : c > 0xffff	   ? '?'
					   : (efi_char)c;
		k += !k;
		from += k;
		len -= k;
	}
	to[n] = 0;
	return (int)n;
}

int efi_file_open(struct efi_file **f, uint64_t *size, efi_handle h,
		  const char *name)
{
	struct efi_volume *v = efi_protocol(h, &efi_guid_volume);
	struct efi_file_info info;
	size_t len = sizeof(info);
	struct efi_file *root;
	efi_char wide[256];
	efi_status s;

	if (!v)
		return NBD_E_NOT_FOUND;
	if (efi_widen(wide, sizeof(wide) / sizeof(wide[0]), name, true) < 0)
		return NBD_E_NO_MEMORY;
	s = v->open(v, &root);
	if (s)
		return efi_error(s);
	s = root->open(root, f, wide, EFI_FILE_READ, 0);
	root->close(root);
	if (s)
		return efi_error(s);
	s = (*f)->info(*f, &efi_guid_file_info, &len, &info);
	if (s) {
		(*f)->close(*f);
		return efi_error(s);
	}
	*size = info.file_size;
	return NBD_OK;
}
