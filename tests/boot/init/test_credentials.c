/* SPDX-License-Identifier: BSD-2-Clause */
/* Which files init makes of the credentials that a machine has. */
#include "tests/unit.h"
#include "tests/world/module.h"
#include "boot/init/steps.h"
#include "boot/system/console.h"
#include "boot/words/credential.h"
#include "port/linux/file.h"
#include "boot/init/unseal.h"
#include "port/linux/module.h"
#include "port/linux/tpm_device.h"
#include "port/posix/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct step init_credentials_step;

#define PEM    "-----BEGIN EC PRIVATE KEY-----\n"
#define FW_CFG "/sys/firmware/qemu_fw_cfg/by_name/opt/io.systemd.credentials/"
#define KEY    CREDENTIALS_DIR "/client-key.pem"

/* ---- a machine below a temporary directory ---- */

static char root[64], said[512];
static bool has_fw_cfg, has_tpm;

static const char *below(const char *path)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s%s", root, path);
	return text;
}

int __real_open_plain(const char *path, struct stat *st, const char **why);
int __wrap_open_plain(const char *path, struct stat *st, const char **why);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_access(const char *path, int mode);

int __wrap_open_plain(const char *path, struct stat *st, const char **why)
{
	return __real_open_plain(below(path), st, why);
}

int __wrap_open(const char *path, int flags, mode_t mode)
{
	/* that of open_plain() has its place already */
	if (!strncmp(path, root, strlen(root)))
		return openat(AT_FDCWD, path, flags, mode);
	return openat(AT_FDCWD, below(path), flags, mode);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, below(path), mode);
}

int __wrap_access(const char *path, int mode)
{
	if (!strcmp(path, TPM_DEVICE))
		return has_tpm ? 0 : -1;
	if (strcmp(path, "/sys/bus/acpi/devices/QEMU0002:00") != 0)
		return faccessat(AT_FDCWD, below(path), mode, 0);
	return has_fw_cfg ? 0 : -1;
}

int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
	return unlinkat(AT_FDCWD, below(path), 0);
}

static bool short_write;

ssize_t __real_write(int fd, const void *p, size_t len);
ssize_t __wrap_write(int fd, const void *p, size_t len);
ssize_t __wrap_write(int fd, const void *p, size_t len)
{
	bool cut = short_write && len == strlen(PEM);

	errno = 0;
	return __real_write(fd, p, cut ? len / 2 : len);
}

static void note(int level, const char *p, size_t len)
{
	if (level < 7)
		snprintf(said + strlen(said), sizeof(said) - strlen(said),
			 "%.*s", (int)len, p);
}

static void put(const char *path, const void *text, size_t len)
{
	char command[400];
	int fd;

	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"",
		 below(path));
	assert_int_equal(system(command), 0);
	fd = openat(AT_FDCWD, below(path), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

/* A TPM that opens one text. */
#define SEALED "nbdboot sealed credential 1\nof this TPM\n"

int __wrap_tpm_open(struct tpm *tpm, const char *path, struct nbd_diag *d);
int __wrap_seal_open(struct sealed *s, struct tpm *tpm, const char *name,
		     const char *text, size_t len, struct nbd_diag *d);
int __wrap_seal_note_pcrs(struct tpm *tpm, struct nbd_out *o,
			  struct nbd_diag *d);
int __wrap_file_save(int at, const char *path, const void *data, size_t len);

int __wrap_tpm_open(struct tpm *tpm, const char *path, struct nbd_diag *d)
{
	assert_null(path);
	tpm->fd = -1;
	return has_tpm ? 0 : nbd_diag(d, NBD_E_NOT_FOUND, "no TPM");
}

int __wrap_seal_open(struct sealed *s, struct tpm *tpm, const char *name,
		     const char *text, size_t len, struct nbd_diag *d)
{
	(void)tpm;
	assert_string_equal(name, "nbdboot.tls-key");
	if (len != strlen(SEALED) || memcmp(text, SEALED, len) != 0)
		return nbd_diag(d, NBD_E_CREDENTIAL, "of another machine");
	strcpy((char *)s->data, PEM "sealed");
	return (int)strlen((char *)s->data);
}

int __wrap_seal_note_pcrs(struct tpm *tpm, struct nbd_out *o,
			  struct nbd_diag *d)
{
	(void)tpm, (void)d;
	nbd_putf(o, "pcr 7 of now\n");
	return 0;
}

int __wrap_file_save(int at, const char *path, const void *data, size_t len)
{
	(void)at;
	put(path, data, len);
	return 0;
}

#define PUT(path, text) put(path, text, sizeof(text) - 1)

static int begin(void **state)
{
	(void)state;
	strcpy(root, "/tmp/credentials-XXXXXX");
	said[0] = '\0';
	has_fw_cfg = has_tpm = false;
	world = (struct world){ .no_module = NBD_E_NOT_FOUND };
	if (!mkdtemp(root))
		return -1;
	PUT("/run/nbdboot/x", "");
	boot_console_log = note;
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static unsigned files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* It leaves no file open in process 1. */
static void import(void)
{
	unsigned before = files();
	struct nbd_diag d;

	assert_int_equal(init_credentials_step.run(NULL, &d), 0);
	assert_int_equal(files(), before);
}

/* The file has this text, or with NULL is not there. */
static void is(const char *path, const char *text)
{
	char buf[256] = "";
	struct stat st;
	int fd = openat(AT_FDCWD, below(path), O_RDONLY);

	assert_int_equal(fd >= 0, text != NULL);
	if (!text)
		return;
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_true(read(fd, buf, sizeof(buf) - 1) >= 0);
	assert_string_equal(buf, text);
	close(fd);
	assert_int_equal(stat(below(CREDENTIALS_DIR), &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
}

static void a_machine_without_any_gets_no_files(void **state)
{
	(void)state;
	import();
	is(KEY, NULL);
	assert_string_equal(said, "");
	assert_string_equal(world.loaded, "");
}

static void each_source_is_asked_in_turn(void **state)
{
	(void)state;
	PUT("/.extra/credentials/nbdboot.tls-key.cred", PEM "stub");
	PUT("/.extra/credentials/nbdboot.tls-psk.cred", "a:00");
	PUT("/sys/firmware/dmi/tables/DMI",
	    "\13\5\1\0\2io.systemd.credential:nbdboot.tls-key=" PEM
	    "smbios\0io.systemd.credential:nbdboot.tls-cert=" PEM "\0\0");
	PUT(FW_CFG "nbdboot.tls-key/raw", PEM "fw_cfg");
	PUT(FW_CFG "nbdboot.tls-other/raw", PEM "fw_cfg");
	has_fw_cfg = true;
	import();
	is(KEY, PEM "fw_cfg");
	is(CREDENTIALS_DIR "/client-cert.pem", PEM);
	is(CREDENTIALS_DIR "/keys.psk", "a:00");
	is(CREDENTIALS_DIR "/ca-cert.pem", NULL);
	assert_string_equal(world.loaded, "qemu_fw_cfg\n");
	assert_string_equal(said, "");
}

static void one_that_is_encrypted_is_named(void **state)
{
	(void)state;
	PUT("/.extra/credentials/nbdboot.tls-key.cred", "k6iUCUh0RJCQyvL8");
	import();
	is(KEY, NULL);
	assert_non_null(strstr(said, "nbdboot.tls-key in the boot stub"));
	assert_non_null(strstr(said, "encrypted"));
}

static void one_that_is_too_long_is_named(void **state)
{
	static char big[65536] = PEM;

	(void)state;
	put(FW_CFG "nbdboot.tls-key/raw", big, sizeof(big));
	import();
	is(KEY, NULL);
	assert_non_null(strstr(said, "fw_cfg: it is too long"));
}

static void a_second_try_changes_nothing(void **state)
{
	(void)state;
	PUT(FW_CFG "nbdboot.tls-key/raw", PEM "first");
	import();
	PUT(FW_CFG "nbdboot.tls-key/raw", PEM "second");
	import();
	is(KEY, PEM "first");
	assert_string_equal(said, "");
}

static void one_that_is_sealed_is_opened(void **state)
{
	char text[32] = "";
	int fd;

	(void)state;
	has_tpm = true;
	PUT("/.extra/credentials/nbdboot.tls-key.cred", SEALED);
	import();
	is(KEY, PEM "sealed");
	assert_string_equal(said, "");
	fd = openat(AT_FDCWD, below("/run/nbdboot/pcrs"), O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "pcr 7 of now\n");
	close(fd);
}

static void one_of_another_machine_is_named(void **state)
{
	(void)state;
	has_tpm = true;
	PUT("/.extra/credentials/nbdboot.tls-key.cred", SEALED "x");
	import();
	is(KEY, NULL);
	assert_non_null(strstr(said, "credential nbdboot.tls-key in the boot "
				     "stub: of another machine"));
}

static void a_machine_without_a_tpm_is_named(void **state)
{
	(void)state;
	PUT("/.extra/credentials/nbdboot.tls-key.cred", SEALED);
	import();
	is(KEY, NULL);
	assert_non_null(strstr(said, "the boot stub: no TPM"));
}

/* A file system that takes a part of it says nothing: /run is full. */
static void one_that_is_not_kept_is_named_with_its_reason(void **state)
{
	(void)state;
	PUT("/.extra/credentials/nbdboot.tls-key.cred", PEM);
	short_write = true;
	import();
	short_write = false;
	is(KEY, NULL);
	assert_non_null(strstr(said, strerror(ENOSPC)));
}

static void no_link_is_followed(void **state)
{
	(void)state;
	PUT(FW_CFG "nbdboot.tls-key/raw", PEM);
	assert_int_equal(mkdirat(AT_FDCWD, below(CREDENTIALS_DIR), 0700), 0);
	assert_int_equal(symlinkat("../../../elsewhere", AT_FDCWD, below(KEY)),
			 0);
	import();
	assert_int_equal(faccessat(AT_FDCWD, below("/elsewhere"), F_OK, 0), -1);
	assert_non_null(strstr(said, strerror(EEXIST)));
}

#define FRESH(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(a_machine_without_any_gets_no_files),
		FRESH(each_source_is_asked_in_turn),
		FRESH(one_that_is_encrypted_is_named),
		FRESH(one_that_is_too_long_is_named),
		FRESH(a_second_try_changes_nothing),
		FRESH(one_that_is_not_kept_is_named_with_its_reason),
		FRESH(no_link_is_followed),
		FRESH(one_that_is_sealed_is_opened),
		FRESH(one_of_another_machine_is_named),
		FRESH(a_machine_without_a_tpm_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
