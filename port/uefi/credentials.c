/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credentials in firmware.  A file is on the volume that the program was loaded
 * from; if there is none, it is a variable with the name of the file, which the
 * operating system cannot read unless it was made so.  What came by TFTP or HTTP
 * could be anybody's.
 */
#include "port/credentials.h"

#include <string.h>

#include "port/uefi/uefi.h"

#define FILE_MAX (1024u * 1024u)

/* Holds one file at a time while it is parsed, then it is wiped. */
static char file[FILE_MAX + 1];
static size_t file_len;

/* ---- files ---- */

/* Bytes, or an error; without `to` it only looks. */
static int64_t from_volume(const char *path, char *to, size_t cap)
{
	struct efi_file *f;
	uint64_t size;
	size_t n = cap;
	int rc = efi_file_open(&f, &size, efi.self->device, path);

	if (rc)
		return rc;
	if (to && (size > cap || f->read(f, &n, to)))
		rc = NBD_E_IO;
	f->close(f);
	return rc ? rc : (int64_t)(to ? n : size);
}

static int64_t from_variable(const char *path, char *to, size_t cap)
{
	const char *slash = strrchr(path, '/');
	efi_char name[128];
	efi_status s;
	size_t n = cap;

	if (efi_widen(name, 128, slash ? slash + 1 : path, false) < 0)
		return NBD_E_NOT_FOUND;
	s = efi.rt->get_variable(name, &efi_guid_nbdboot, NULL, &n, to);
	if (!to && s == EFI_BUFFER_TOO_SMALL)
		return (int64_t)n;
	return s ? efi_error(s) : (int64_t)n;
}

static int64_t get(const char *path, char *to, size_t cap)
{
	int64_t n = from_volume(path, to, cap);

	return n < 0 ? from_variable(path, to, cap) : n;
}

bool creds_exists(const char *path)
{
	return get(path, NULL, 0) >= 0;
}

int creds_read(const char *path, bool secret, char **text, struct nbd_diag *d)
{
	int64_t n;

	(void)secret;
	creds_wipe();
	n = get(path, file, FILE_MAX);
	file_len = n > 0 ? (size_t)n : 0;
	file[file_len] = '\0';
	*text = file;
	return n >= 0 ? (int)n
		      : nbd_diag(d, NBD_E_CREDENTIAL,
				 "%s: neither a file of the volume with "
				 "nbdboot.efi nor a variable of this name",
				 path);
}

void creds_wipe(void)
{
	explicit_bzero(file, file_len);
	file_len = 0;
}

const char *creds_system_ca(void)
{
	return NULL;
}

/* ---- random numbers ---- */

#if defined(__x86_64__)
#include <cpuid.h>

/* RDRAND may be empty for a moment. */
static bool by_cpu(uint64_t *to)
{
	unsigned a, b, c = 0, d;
	unsigned char ok = 0;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_RDRND))
		return false;
	for (int i = 0; i < 10 && !ok; i++)
		__asm__ volatile("rdrand %0; setc %1" : "=r"(*to), "=qm"(ok));
	return ok;
}
#else
static bool by_cpu(uint64_t *to)
{
	(void)to;
	return false;
}
#endif

bool creds_random(unsigned char *p, size_t len)
{
	uint64_t word;
	size_t n;

	if (efi_rng(p, len))
		return true;
	for (; len; p += n, len -= n) {
		n = len < sizeof(word) ? len : sizeof(word);
		if (!by_cpu(&word))
			return false;
		memcpy(p, &word, n);
	}
	return true;
}
