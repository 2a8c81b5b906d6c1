/* SPDX-License-Identifier: BSD-2-Clause */
/* The next kernel is loaded, with which words, and unloaded after a failure. */
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/say.h"
#include "tests/world/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kexec.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot/reroot/reroot.h"
#include "port/linux/file.h"

#define PROC  "BOOT_IMAGE=/vmlinuz console=ttyS0 root=nbd://old/ ip=dhcp"
#define WORDS "ip=dhcp root=nbd://new/ rw"

static struct nbd_diag d;
static struct reroot_kernel k;
static char done[1024]; /* a line for each thing that was done */
static int fails;	/* errno of the load */
static int busy;	/* loads and unloads that find another one at work */
static int start;	/* what reroot_start() returns */
static bool interrupted;

#define KEXEC	 "/proc/sys/kernel/kexec_"
#define LOCKDOWN "/sys/kernel/security/lockdown"

static void __attribute__((format(printf, 1, 2))) note(const char *fmt, ...)
{
	size_t len = strlen(done);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(done + len, sizeof(done) - len, fmt, ap);
	va_end(ap);
}

/* ---- the system ---- */

static long load(int kernel, int initrd, unsigned long len, const char *line)
{
	char text[2][16] = { "", "" };

	/* the kernel refuses others */
	assert_int_equal(fcntl(kernel, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fcntl(initrd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_true(pread(kernel, text[0], 15, 0) >= 0);
	assert_true(pread(initrd, text[1], 15, 0) >= 0);
	assert_int_equal(len, strlen(line) + 1);
	note("load %s,%s: %s\n", text[0], text[1], line);
	if (interrupted)
		raise(SIGTERM);
	errno = fails;
	return fails ? -1 : 0;
}

long __wrap_syscall(long n, ...);
long __wrap_syscall(long n, ...)
{
	int kernel, initrd;
	unsigned long len, flags;
	const char *line;
	va_list ap;

	assert_int_equal(n, SYS_kexec_file_load);
	va_start(ap, n);
	kernel = va_arg(ap, int);
	initrd = va_arg(ap, int);
	len = va_arg(ap, unsigned long);
	line = va_arg(ap, const char *);
	flags = va_arg(ap, unsigned long);
	va_end(ap);
	if (busy) {
		busy--;
		note("busy\n");
		errno = EBUSY;
		return -1;
	}
	if (flags == KEXEC_FILE_UNLOAD) {
		note("unload\n");
		return 0;
	}
	assert_int_equal(
		flags, k.path[REROOT_INITRD][0] ? 0 : KEXEC_FILE_NO_INITRAMFS);
	return load(kernel, initrd, len, line);
}

int __wrap_reroot_start(enum reroot_way way, struct nbd_diag *diag);
int __wrap_reroot_start(enum reroot_way way, struct nbd_diag *diag)
{
	assert_int_equal(way, REROOT_KEXEC);
	note("start\n");
	return start ? nbd_diag(diag, start, "ask systemd: no") : 0;
}

static void say(const char *message)
{
	(void)message;
	note("message\n");
}

/* ---- the new root's files ---- */

static void handle(int signal)
{
	note("signal %d\n", signal == SIGTERM ? 15 : 0);
}

static int reset(void **state)
{
	(void)state;
	world = (struct world){ .say = say };
	d.text[0] = done[0] = '\0';
	fails = busy = start = 0;
	interrupted = false;
	world_file("/proc/cmdline", PROC "\n");
	world.others = WORLD_ABSENT;
	signal(SIGTERM, handle);
	k = (struct reroot_kernel){ .path = { "/vmlinuz", "/initrd.img" } };
	assert_int_equal(reroot_kernel_begin(&k, &d), 0);
	assert_int_equal(write(k.fd[REROOT_KERNEL], "KERNEL", 6), 6);
	assert_int_equal(write(k.fd[REROOT_INITRD], "INITRD", 6), 6);
	return 0;
}

static int call(void)
{
	struct device_signals signals;
	int rc;

	device_signals_hold(&signals);
	rc = reroot_kexec(&k, WORDS, &signals, &d);
	device_signals_release(&signals);
	return rc;
}

static void becomes(int rc, const char *want)
{
	assert_int_equal(call(), rc);
	assert_string_equal(done, want);
}

#define LOADED "load KERNEL,INITRD: console=ttyS0 " WORDS

/* ---- load and unload ---- */

static void the_copies_are_loaded_and_started(void **state)
{
	(void)state;
	becomes(0, LOADED "\nmessage\nstart\n");
}

static void without_an_initramfs_none_is_loaded(void **state)
{
	(void)state;
	k.path[REROOT_INITRD][0] = '\0';
	assert_int_equal(ftruncate(k.fd[REROOT_INITRD], 0), 0);
	becomes(0, "load KERNEL,: console=ttyS0 " WORDS "\nmessage\nstart\n");
}

static void appended_words_are_the_last(void **state)
{
	(void)state;
	k.append = "quiet";
	becomes(0, LOADED " quiet\nmessage\nstart\n");
}

static void a_load_that_fails_ends_nothing(void **state)
{
	(void)state;
	fails = ENOEXEC;
	becomes(NBD_E_KERNEL, LOADED "\n");
}

static void what_cannot_be_started_is_unloaded(void **state)
{
	(void)state;
	start = NBD_E_PERM;
	becomes(NBD_E_PERM, LOADED "\nmessage\nstart\nunload\n");
	assert_string_equal(d.text, "ask systemd: no");
}

/* The signal then has its effect. */
static void a_signal_during_the_load_unloads(void **state)
{
	(void)state;
	interrupted = true;
	becomes(NBD_E_INTERRUPTED, LOADED "\nunload\nsignal 15\n");
}

static void another_load_is_waited_for(void **state)
{
	(void)state;
	busy = 2;
	becomes(0, "busy\nbusy\n" LOADED "\nmessage\nstart\n");
}

static void but_not_for_ever(void **state)
{
	(void)state;
	busy = 100000;
	assert_int_equal(call(), NBD_E_KERNEL);
	assert_null(strstr(done, "load"));
	assert_non_null(strstr(d.text, "another program is loading a kernel"));
}

/* ---- errors ---- */

static void says(int err, int rc, const char *why)
{
	fails = err;
	assert_int_equal(call(), rc);
	assert_true(strstr(d.text, "load /vmlinuz of the new root: ") ==
		    d.text);
	if (!strstr(d.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, d.text);
	reset(NULL);
}

static void each_error_has_its_reason(void **state)
{
	(void)state;
	says(ENOSYS, NBD_E_KERNEL, "lacks CONFIG_KEXEC_FILE");
	says(ENOEXEC, NBD_E_KERNEL, "not a kernel that this one can start");
	says(EKEYREJECTED, NBD_E_KERNEL, "signature is wrong");
	says(ENOPKG, NBD_E_KERNEL, "lacks the algorithms of its signature");
	says(ENOKEY, NBD_E_KERNEL, "signed by a key that");
	says(ENODATA, NBD_E_KERNEL, "it is not signed");
	says(EBADMSG, NBD_E_KERNEL, "signature is broken");
	says(ENOMEM, NBD_E_KERNEL, "not enough memory");
	says(EADDRNOTAVAIL, NBD_E_KERNEL, "no free memory where");
	says(EINVAL, NBD_E_KERNEL, "refuses the file or its command line");
	says(EIO, NBD_E_KERNEL, strerror(EIO));
}

static void a_missing_permission_has_several_reasons(void **state)
{
	(void)state;
	says(EPERM, NBD_E_PERM, "needs CAP_SYS_BOOT");
	world_file(KEXEC "load_disabled", "1\n");
	says(EPERM, NBD_E_PERM, "kernel.kexec_load_disabled is 1");
	world_file(KEXEC "load_limit_reboot", "0\n");
	says(EPERM, NBD_E_PERM, "kernel.kexec_load_limit_reboot is 0");
	world_file(KEXEC "load_limit_reboot", "-1\n");
	says(EPERM, NBD_E_PERM, "needs CAP_SYS_BOOT");
	world_file(LOCKDOWN, "none [integrity] confidentiality\n");
	says(EPERM, NBD_E_PERM, "locked down");
	world_file(LOCKDOWN, "[none] integrity confidentiality\n");
	says(EPERM, NBD_E_PERM, "needs CAP_SYS_BOOT");
}

/* ---- the command line ---- */

static void the_line_has_room_for_2016_bytes(void **state)
{
	static char append[2016];
	struct reroot_words w;
	size_t len = 2016 - strlen("a r ");

	(void)state;
	memset(append, 'x', len + 1);
	assert_int_equal(reroot_kexec_words(&w, "a", "r", append, &d),
			 NBD_E_USAGE);
	assert_non_null(strstr(d.text, "2017 bytes or more"));
	append[len] = '\0';
	assert_int_equal(reroot_kexec_words(&w, "a", "r", append, &d), 0);
	assert_int_equal(strlen(w.text), 2016);
}

static void a_line_that_is_too_long_loads_nothing(void **state)
{
	static char append[5000];

	(void)state;
	memset(append, 'x', sizeof(append) - 1);
	k.append = append;
	becomes(NBD_E_USAGE, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_copies_are_loaded_and_started,
				       reset),
		cmocka_unit_test_setup(without_an_initramfs_none_is_loaded,
				       reset),
		cmocka_unit_test_setup(appended_words_are_the_last, reset),
		cmocka_unit_test_setup(a_load_that_fails_ends_nothing, reset),
		cmocka_unit_test_setup(what_cannot_be_started_is_unloaded,
				       reset),
		cmocka_unit_test_setup(a_signal_during_the_load_unloads, reset),
		cmocka_unit_test_setup(another_load_is_waited_for, reset),
		cmocka_unit_test_setup(but_not_for_ever, reset),
		cmocka_unit_test_setup(each_error_has_its_reason, reset),
		cmocka_unit_test_setup(a_missing_permission_has_several_reasons,
				       reset),
		cmocka_unit_test_setup(the_line_has_room_for_2016_bytes, reset),
		cmocka_unit_test_setup(a_line_that_is_too_long_loads_nothing,
				       reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
