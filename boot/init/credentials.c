/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client's key need not lie in an initramfs that anybody may read.  The
 * machine has it by systemd's names, in clear or sealed by its TPM; it becomes
 * a file in CREDENTIALS_DIR.
 *
 *   QEMU's fw_cfg --> SMBIOS --> systemd-stub --none has it--> no file
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/steps.h"
#include "boot/init/unseal.h"
#include "boot/system/console.h"
#include "boot/words/credential.h"
#include "port/linux/module.h"
#include "port/posix/open.h"

/* Bytes: of one credential, and of the tables of a firmware. */
#define VALUE_MAX  (64u * 1024u)
#define TABLES_MAX (256u * 1024u)

#define FW_CFG	   "/sys/firmware/qemu_fw_cfg/by_name/opt/io.systemd.credentials"
#define FW_CFG_DEV "/sys/bus/acpi/devices/QEMU0002:00"
#define SMBIOS	   "/sys/firmware/dmi/tables/DMI"

/* In a mapping of its own, which is wiped. */
struct found {
	uint8_t value[VALUE_MAX];
	uint8_t tables[TABLES_MAX];
	size_t tables_len;
	struct unsealing unsealing;
};

/*
 * The bytes of a file; 0: there is none, or nothing in it; -1: it has more than
 * cap, or cannot be read.
 */
static long take(const char *path, uint8_t *to, size_t cap)
{
	const char *why;
	struct stat st;
	int fd = open_plain(path, &st, &why);
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return 0;
	while (n > 0 && len < cap) {
		n = read(fd, to + len, cap - len);
		if (n > 0)
			len += (size_t)n;
	}
	close(fd);
	return n < 0 || len == cap ? -1 : (long)len;
}

/* The sources, in the order in which they are asked: as take(). */

static long from_fw_cfg(struct found *f, unsigned which)
{
	char path[128];

	nbd_fmt(path, sizeof(path), FW_CFG "/%s/raw",
		boot_credential_names[which].name);
	return take(path, f->value, VALUE_MAX);
}

static long from_smbios(struct found *f, unsigned which)
{
	return boot_credential_find(which, f->tables, f->tables_len, f->value,
				    VALUE_MAX);
}

static long from_stub(struct found *f, unsigned which)
{
	char path[128];

	nbd_fmt(path, sizeof(path), CREDENTIALS_STUB "/%s.cred",
		boot_credential_names[which].name);
	return take(path, f->value, VALUE_MAX);
}

static const struct {
	const char *name;
	long (*get)(struct found *f, unsigned which);
} sources[] = {
	{ "QEMU's fw_cfg", from_fw_cfg },
	{ "SMBIOS", from_smbios },
	{ "the boot stub", from_stub },
};

static void path_of(char path[64], unsigned which)
{
	nbd_fmt(path, 64, CREDENTIALS_DIR "/%s",
		boot_credential_names[which].file);
}

/* A new file, which only root can read. */
static int keep(unsigned which, const uint8_t *p, size_t len)
{
	char path[64];
	ssize_t n;
	int fd, err;

	path_of(path, which);
	mkdir("/run/nbdboot", 0755);
	mkdir(CREDENTIALS_DIR, 0700);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return -1;
	n = write(fd, p, len);
	err = errno;
	close(fd);
	if (n == (ssize_t)len)
		return 0;
	unlink(path);
	errno = n < 0 ? err : ENOSPC;
	return -1;
}

/* A bad one does not end the boot: the step that needs it reports the file. */
static void get(struct found *f, unsigned which)
{
	const char *name = boot_credential_names[which].name;
	struct nbd_diag d;

	for (unsigned i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		long len = sources[i].get(f, which);

		if (!len)
			continue;
		nbd_diag(&d, 0, "it is too long, or no base64");
		if (len > 0)
			len = init_unseal(&f->unsealing, name, f->value, len,
					  &d);
		if (len < 0)
			boot_say("credential %s in %s: %s", name,
				 sources[i].name, d.text);
		else if (!boot_credential_plausible(which, f->value,
						    (size_t)len))
			boot_say("credential %s in %s: %s; one that "
				 "systemd-creds has encrypted cannot be read",
				 name, sources[i].name,
				 which == CREDENTIAL_PSK
					 ? "it has no line USER:HEXKEY"
					 : "it is no PEM text");
		else if (keep(which, f->value, (size_t)len))
			boot_say("credential %s: write " CREDENTIALS_DIR ": %s",
				 name, strerror(errno));
		else
			boot_note("credential %s from %s", name,
				  sources[i].name);
		return;
	}
}

static int import(struct boot *b, struct nbd_diag *d)
{
	struct found *f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long len;

	(void)b, (void)d;
	if (f == MAP_FAILED)
		return NBD_OK;
	if (!access(FW_CFG_DEV, F_OK))
		mod_load("qemu_fw_cfg", "", NULL);
	len = take(SMBIOS, f->tables, TABLES_MAX);
	f->tables_len = len > 0 ? (size_t)len : 0;
	init_note_pcrs(&f->unsealing);
	for (unsigned i = 0; i < CREDENTIALS; i++) {
		char path[64];

		/* a boot that is tried again has it already */
		path_of(path, i);
		if (access(path, F_OK))
			get(f, i);
	}
	explicit_bzero(f, sizeof(*f));
	munmap(f, sizeof(*f));
	return NBD_OK;
}

const struct step init_credentials_step = {
	.name = "credentials",
	.run = import,
	.hint = "",
};
