/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Module loading on made-up trees.  Link with -Wl,--wrap=syscall: the test
 * stands in for finit_module(2) and delete_module(2).
 */
#include "port/linux/module.h"
#include "port/linux/module_alias.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/guard.h"
#include "tests/world/clock.h"

#define LOG_MAX 4096

static char root[64], lib[80], sys[80], cmdline[80];
static struct nbd_diag diag;
static char *log_text; /* "file(params,flags) ..." in order, also by children */
static bool hangs;     /* the kernel does not return from it */
static char fail_file[64];   /* this one is refused, */
static int fail_errno;	     /* for this reason, */
static unsigned fail_times;  /* so often, 0: always */
static unsigned shows_every; /* so many tries sysfs has nbd, 0: as it is */

long __real_syscall(long n, ...);
long __wrap_syscall(long n, ...);

/* How often a file is in the log. */
static unsigned times_of(const char *name)
{
	unsigned n = 0;

	for (const char *p = log_text; (p = strstr(p, name)); p++)
		n++;
	return n;
}

/* Whether sysfs has nbd, for which the test has made this directory. */
static void show(bool yes)
{
	char there[100], away[100];

	snprintf(there, sizeof(there), "%s/nbd", sys);
	snprintf(away, sizeof(away), "%s/away", root);
	(void)!rename(yes ? away : there, yes ? there : away);
}

/* A wait of a minute is over at once, and one for nothing moves the module. */
static int played_wait(struct pollfd fds[], nfds_t n, int ms)
{
	if (shows_every && !n)
		show(times_of("nbd.ko") % shows_every == 0);
	return hangs && ms > 1000 ? 0 : world_real_poll(fds, n, ms);
}

static long fake_insert(int fd, const char *params, int flags)
{
	char self[32], path[256];
	const char *name;
	ssize_t len;
	size_t used = strlen(log_text);

	if (hangs)
		for (;;)
			pause();

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	len = readlink(self, path, sizeof(path) - 1);
	if (len < 0)
		return -1;
	path[len] = '\0';
	name = strrchr(path, '/') + 1;
	snprintf(log_text + used, LOG_MAX - used, "%s(%s,%d) ", name, params,
		 flags);
	if (fail_errno && strcmp(name, fail_file) == 0 &&
	    (!fail_times || times_of(name) <= fail_times)) {
		errno = fail_errno;
		return -1;
	}
	return 0;
}

long __wrap_syscall(long n, ...)
{
	va_list ap;
	long rc;

	va_start(ap, n);
	if (n == SYS_finit_module) {
		int fd = va_arg(ap, int);
		const char *params = va_arg(ap, const char *);

		rc = fake_insert(fd, params, va_arg(ap, int));
	} else if (n == SYS_pidfd_open) {
		rc = __real_syscall(n, va_arg(ap, int), 0);
	} else {
		assert_int_equal(n, SYS_delete_module);
		strcpy(log_text, va_arg(ap, const char *));
		assert_int_equal(va_arg(ap, int), O_NONBLOCK);
		errno = fail_errno;
		rc = fail_errno ? -1 : 0;
	}
	va_end(ap);
	return rc;
}

/* Writes a file below root, and the directories above it. */
static void put(const char *name, const char *text, size_t len)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static void puts_at(const char *name, const char *text)
{
	put(name, text, strlen(text));
}

static const char dep[] =
	"kernel/net/failover.ko:\n"
	"kernel/net/net_failover.ko: kernel/net/failover.ko\n"
	"kernel/drivers/virtio-net.ko: kernel/net/net_failover.ko "
	"kernel/net/failover.ko\n"
	"kernel/drivers/nbd.ko:\n"
	"kernel/drivers/packed.ko.xz:\n"
	"kernel/drivers/gone.ko:\n"
	"kernel/a.ko: kernel/b.ko\n"
	"kernel/b.ko: kernel/a.ko kernel/b.ko kernel/a.ko";

static int make_tree(void **state)
{
	static const char *const files[] = {
		"net/failover.ko",
		"net/net_failover.ko",
		"drivers/virtio-net.ko",
		"drivers/nbd.ko",
		"drivers/packed.ko.xz",
		"a.ko",
		"b.ko",
	};
	char name[64];

	(void)state;
	strcpy(root, "/tmp/test_module.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(lib, sizeof(lib), "%s/lib", root);
	snprintf(sys, sizeof(sys), "%s/sys", root);
	snprintf(cmdline, sizeof(cmdline), "%s/cmdline", root);
	mod_dirs = (struct mod_dirs){ lib, sys, cmdline, NULL };
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(name, sizeof(name), "lib/kernel/%s", files[i]);
		puts_at(name, "");
	}
	puts_at("lib/modules.dep", dep);
	puts_at("lib/modules.builtin", "kernel/fs/ext4/ext4.ko\n"
				       "kernel/lib/crc-t10dif.ko\n");
	log_text = mmap(NULL, LOG_MAX, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(log_text != MAP_FAILED);
	fail_errno = 0;
	world = (struct world){ .real = true, .wait = played_wait };
	fail_times = shows_every = 0;
	hangs = false;
	memset(&diag, 0, sizeof(diag));
	return 0;
}

static int drop_tree(void **state)
{
	char cmd[100];

	(void)state;
	munmap(log_text, LOG_MAX);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", root);
	return system(cmd);
}

static void dependencies_are_loaded_first_and_deepest_first(void **state)
{
	(void)state;
	assert_int_equal(mod_load("virtio_net", "x=1", &diag), 0);
	assert_string_equal(log_text, "failover.ko(,0) net_failover.ko(,0) "
				      "virtio-net.ko(x=1,0) ");
}

static void a_driver_that_never_returns_is_given_up(void **state)
{
	(void)state;
	hangs = true;
	assert_int_equal(mod_load("nbd", "", &diag), NBD_E_TIMEOUT);
	assert_non_null(strstr(diag.text, "/kernel/drivers/nbd.ko: loading it "
					  "takes too long"));
}

static void the_kernel_command_line_has_parameters(void **state)
{
	char text[2048] = "nbd.x=";

	(void)state;
	puts_at("cmdline",
		"quiet virtio-net.napi_tx=0 root=nbd://nbd.example/ "
		"nbd.nbds_max=4 nbdx.y=1 net_failover.a=\"b c\"  "
		"nbd=1 virtio_net.debug .x= nbd. nbd.max_part=1.5\n");
	assert_int_equal(mod_load("virtio_net", "x=1", &diag), 0);
	assert_string_equal(log_text, "failover.ko(,0) "
				      "net_failover.ko(a=\"b c\",0) "
				      "virtio-net.ko(x=1 napi_tx=0 debug,0) ");
	log_text[0] = '\0';
	/* the last value counts: that of the kernel command line */
	assert_int_equal(mod_load("nbd", "nbds_max=1", &diag), 0);
	assert_string_equal(log_text,
			    "nbd.ko(nbds_max=1 nbds_max=4  max_part=1.5,0) ");
	/* a quote that never ends, and more than there is room for */
	puts_at("cmdline", "a.x=\"1 a.y=2");
	log_text[0] = '\0';
	assert_int_equal(mod_load("a", "", &diag), 0);
	assert_string_equal(log_text, "b.ko(,0) a.ko(x=\"1 a.y=2,0) ");
	memset(text + 6, 'x', sizeof(text) - 7);
	puts_at("cmdline", text);
	assert_int_equal(mod_load("nbd", "", &diag), NBD_E_NO_MEMORY);
	assert_non_null(strstr(diag.text, "module nbd"));
}

static void dash_and_underscore_are_the_same(void **state)
{
	(void)state;
	assert_int_equal(mod_load("net-failover", "", &diag), 0);
	assert_string_equal(log_text, "failover.ko(,0) net_failover.ko(,0) ");
	assert_int_equal(mod_load("crc_t10dif", "", &diag), 0);
}

static void what_is_live_is_not_loaded_again(void **state)
{
	(void)state;
	puts_at("sys/failover/initstate", "live\n");
	puts_at("sys/virtio_net/initstate", "coming\n");
	puts_at("sys/net_failover/version", "built in");
	assert_int_equal(mod_load("virtio-net", "", &diag), 0);
	/* finit_module(2) waits for one that another process is loading */
	assert_string_equal(log_text, "virtio-net.ko(,0) ");
}

static void a_module_loaded_meanwhile_is_a_success(void **state)
{
	(void)state;
	strcpy(fail_file, "failover.ko");
	fail_errno = EEXIST;
	assert_int_equal(mod_load("net_failover", "", &diag), 0);
	assert_string_equal(log_text, "failover.ko(,0) net_failover.ko(,0) ");
}

static void built_in_is_a_success(void **state)
{
	(void)state;
	assert_int_equal(mod_load("ext4", "", &diag), 0);
	assert_string_equal(log_text, "");
}

static void an_unknown_module_is_named_with_the_list_it_is_not_in(void **state)
{
	char want[200];

	(void)state;
	assert_true(mod_listed("virtio-net"));
	assert_false(mod_listed("nb"));
	assert_int_equal(mod_load("nb", "", &diag), NBD_E_NOT_FOUND);
	snprintf(want, sizeof(want), "module nb is not in %s/modules.dep", lib);
	assert_string_equal(diag.text, want);
	assert_int_equal(mod_load("nbdx", "", &diag), NBD_E_NOT_FOUND);
	mod_dirs.lib = "/nowhere";
	assert_int_equal(mod_load("nbd", "", &diag), NBD_E_NOT_FOUND);
	assert_string_equal(diag.text, "module nbd: open /nowhere/modules.dep: "
				       "No such file or directory");
}

static void a_missing_file_is_named(void **state)
{
	(void)state;
	assert_int_equal(mod_load("gone", "", &diag), NBD_E_NOT_FOUND);
	assert_non_null(strstr(diag.text, "/lib/kernel/drivers/gone.ko: No"));
}

/* As the image of modules, which is mounted for the first of them. */
static bool fetch_gone(const char *path)
{
	if (!strstr(path, "/gone.ko"))
		return false;
	puts_at("lib/gone.ko", "late");
	return true;
}

static void a_missing_file_may_be_fetched(void **state)
{
	(void)state;
	puts_at("lib/modules.dep", "gone.ko:\nlost.ko:\n");
	mod_dirs.fetch = fetch_gone;
	assert_int_equal(mod_load("gone", "", &diag), 0);
	assert_string_equal(log_text, "gone.ko(,0) ");
	assert_int_equal(mod_load("lost", "", &diag), NBD_E_NOT_FOUND);
	mod_dirs.fetch = NULL;
}

static void a_refused_dependency_stops_the_loading(void **state)
{
	(void)state;
	strcpy(fail_file, "net_failover.ko");
	fail_errno = EPERM;
	assert_int_equal(mod_load("virtio-net", "", &diag), NBD_E_PERM);
	assert_string_equal(log_text, "failover.ko(,0) net_failover.ko(,0) ");
	assert_non_null(strstr(diag.text, "net_failover.ko: Operation not"));
	fail_errno = ENOENT;
	assert_int_equal(mod_load("virtio-net", "", &diag), NBD_E_KERNEL);
	assert_non_null(strstr(diag.text, "symbol"));
}

/* As while modprobe -r runs beside it. */
static void a_module_that_another_process_moves_is_tried_again(void **state)
{
	(void)state;
	strcpy(fail_file, "nbd.ko");
	fail_errno = EBUSY;
	fail_times = 4;
	assert_int_equal(mod_load("nbd", "", &diag), 0);
	assert_int_equal(times_of("nbd.ko"), 5);
	log_text[0] = '\0';
	/* for longer where sysfs shows that it is being unloaded */
	puts_at("sys/nbd/initstate", "going\n");
	fail_times = 30;
	assert_int_equal(mod_load("nbd", "", &diag), 0);
	assert_int_equal(times_of("nbd.ko"), 31);
	log_text[0] = '\0';
	/* and where that comes and goes */
	show(false);
	shows_every = 8;
	fail_times = 100;
	assert_int_equal(mod_load("nbd", "", &diag), 0);
	assert_int_equal(times_of("nbd.ko"), 101);
}

static void a_driver_that_is_busy_itself_is_given_up_soon(void **state)
{
	(void)state;
	strcpy(fail_file, "nbd.ko");
	fail_errno = EBUSY;
	assert_int_equal(mod_load("nbd", "", &diag), NBD_E_KERNEL);
	assert_non_null(strstr(diag.text, "busy"));
	assert_in_range(times_of("nbd.ko"), 5, 20);
}

static void a_packed_module_is_left_to_the_kernel_to_unpack(void **state)
{
	static const int errors[] = { EOPNOTSUPP, EINVAL };

	(void)state;
	assert_int_equal(mod_load("packed", "", &diag), 0);
	assert_string_equal(log_text, "packed.ko.xz(,4) ");
	strcpy(fail_file, "packed.ko.xz");
	for (size_t i = 0; i < 2; i++) {
		fail_errno = errors[i];
		assert_int_equal(mod_load("packed", "", &diag), NBD_E_KERNEL);
		assert_non_null(strstr(diag.text, "does not unpack"));
	}
}

static void a_cycle_in_modules_dep_ends(void **state)
{
	(void)state;
	assert_int_equal(mod_load("a", "", &diag), 0);
	assert_string_equal(log_text, "b.ko(,0) a.ko(,0) ");
	log_text[0] = '\0';
	assert_int_equal(mod_load("b", "", &diag), 0);
	assert_string_equal(log_text, "a.ko(,0) b.ko(,0) a.ko(,0) b.ko(,0) ");
}

static void a_line_of_a_mebibyte_is_read_whole(void **state)
{
	static char big[1 << 20];
	static const char start[] = "kernel/x.ko: kernel/b.ko";
	static const char end[] = "kernel/a.ko\nkernel/drivers/nbd.ko:\n";

	(void)state;
	memset(big, ' ', sizeof(big));
	memcpy(big, start, sizeof(start) - 1);
	memcpy(big + sizeof(big) - sizeof(end) + 1, end, sizeof(end) - 1);
	put("lib/modules.dep", big, sizeof(big));
	puts_at("lib/kernel/x.ko", "");
	assert_int_equal(mod_load("x", "", &diag), 0);
	assert_string_equal(log_text, "a.ko(,0) b.ko(,0) x.ko(,0) ");
	assert_int_equal(mod_load("nbd", "", &diag), 0);
}

static void a_name_has_63_characters_at_most(void **state)
{
	char name[65], line[128], file[128];

	(void)state;
	memset(name, 'm', 64);
	name[64] = '\0';
	snprintf(line, sizeof(line), "kernel/%s.ko:\n", name);
	puts_at("lib/modules.dep", line);
	assert_int_equal(mod_load(name, "", &diag), NBD_E_NO_MEMORY);
	name[63] = '\0';
	snprintf(line, sizeof(line), "kernel/%s.ko:\n", name);
	puts_at("lib/modules.dep", line);
	snprintf(file, sizeof(file), "lib/kernel/%s.ko", name);
	puts_at(file, "");
	assert_int_equal(mod_load(name, "", &diag), 0);
}

static void hostile_lists_are_refused_without_harm(void **state)
{
	static char big[8192];
	static const char nul[] = "kernel/nb\0d.ko:\n\0\0:\n:::\nnbd\n\n  :  ";

	(void)state;
	put("lib/modules.dep", nul, sizeof(nul));
	assert_int_equal(mod_load("nbd.ko", "", &diag), NBD_E_NOT_FOUND);
	assert_int_equal(mod_load("nb", "", &diag), NBD_E_NOT_FOUND);
	memset(big, 'x', sizeof(big));
	memcpy(big, "kernel/y.ko: ", 13);
	put("lib/modules.dep", big, sizeof(big));
	assert_int_equal(mod_load("y", "", &diag), NBD_E_NO_MEMORY);
	put("lib/modules.dep", "", 0);
	assert_int_equal(mod_load("y", "", &diag), NBD_E_NOT_FOUND);
	assert_string_equal(log_text, "");
}

static void wishes_are_loaded_first_by_name_or_alias(void **state)
{
	(void)state;
	puts_at("lib/modules.softdep",
		"# Soft dependencies\n"
		"softdep net_failover pre: no-such packed post: b\n"
		"softdep virtio-net post: b pre: crc32c\n"
		"softdep nbd pre: nbd virtio-net\n"
		"softdep packed pre: nbd\nsoftdep a\nsoftdep");
	puts_at("lib/modules.alias", "alias crc32c nbd\n");
	assert_int_equal(mod_load("virtio-net", "", &diag), 0);
	/* of a dependency too, but not those of a wish: they might cycle */
	assert_string_equal(log_text, "failover.ko(,0) packed.ko.xz(,4) "
				      "net_failover.ko(,0) nbd.ko(,0) "
				      "virtio-net.ko(,0) ");
	assert_string_equal(diag.text, "");
}

static const char aliases[] = "# Aliases extracted from modules themselves.\n"
			      "alias virtio:d00000001v* virtio_net\n"
			      "alias pci:v00001AF4d00001000sv*sd*bc*sc*i* nbd\n"
			      "alias pci:v00001AF4d*sv*sd*bc*sc*i* a\n"
			      "alias platform:gone gone\n"
			      "alias platform:gone nbd\n"
			      "aliaspci:x a\n"
			      "alias broken";

static void an_alias_loads_every_module_that_claims_it(void **state)
{
	(void)state;
	puts_at("lib/modules.alias", aliases);
	assert_int_equal(mod_load_alias("pci:v00001AF4d00001000sv00001AF4"
					"sd00000001bc02sc00i00",
					&diag),
			 0);
	assert_string_equal(log_text, "nbd.ko(,0) b.ko(,0) a.ko(,0) ");
	log_text[0] = '\0';
	assert_int_equal(mod_load_alias("virtio:d00000001v00001AF4", &diag), 0);
	assert_non_null(strstr(log_text, "virtio-net.ko"));
}

/* As mkinitramfs.sh groups them: the order of a bus stays. */
static const char grouped[] = "# by bus\n"
			      "alias a:1* one\n"
			      "alias ab:2* two\n"
			      "alias acpi*:PNP0303:* eight\n"
			      "alias fs_ext4 three\n"
			      "alias fsl_mc:v1 four\n"
			      "alias pci:v2* five\n"
			      "alias pci:v1* six\n"
			      "alias pci_x:v1 seven\n";

static void lines_of_a_bus_are_found_in_a_grouped_table(void **state)
{
	static const struct {
		const char *alias, *first;
		size_t lines;
	} cases[] = {
		{ "a:1", "alias a:1* one\n", 1 },
		{ "ab:", "alias ab:2* two\n", 1 },
		{ "acpi:PNP0303:", "alias acpi*:PNP0303:* eight\n", 1 },
		{ "fsl-mc:v1", "alias fsl_mc:v1 four\n", 1 },
		{ "pci:v1", "alias pci:v2* five\n", 2 },
		{ "pci-x:v1", "alias pci_x:v1 seven\n", 1 },
		{ "aa:", "", 0 },
		{ ":", "", 0 },
		{ "pc:", "", 0 },
		{ "zzz:1", "", 0 },
		/* without a bus it may be any */
		{ "fs-ext4", "# by bus\n", 9 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *p = grouped;
		size_t len = strlen(grouped), lines = 0;

		mod_alias_narrow(&p, &len, cases[i].alias);
		for (size_t k = 0; k < len; k++)
			lines += p[k] == '\n';
		assert_int_equal(lines, cases[i].lines);
		assert_memory_equal(p, cases[i].first, strlen(cases[i].first));
	}
}

static void a_table_that_is_not_grouped_stays_whole(void **state)
{
	const char *p = aliases;
	size_t len = strlen(aliases);

	(void)state;
	mod_alias_narrow(&p, &len, "pci:v1");
	assert_ptr_equal(p, aliases);
	assert_int_equal(len, strlen(aliases));
}

/* The table is cut at each place, and ends at an unreadable page. */
static void a_table_that_is_cut_is_read_within_its_bounds(void **state)
{
	struct guard g = guard_new(sizeof(grouped));

	(void)state;
	for (size_t cut = 0; cut < sizeof(grouped); cut++) {
		const char *table = guard_copy(&g, grouped, cut), *p = table;
		size_t len = cut;

		mod_alias_narrow(&p, &len, "pci:v1");
		assert_true(p >= table && p + len <= table + cut);
	}
	guard_free(&g);
}

static void one_loaded_module_is_enough_for_an_alias(void **state)
{
	(void)state;
	puts_at("lib/modules.alias", aliases);
	assert_int_equal(mod_load_alias("platform:gone", &diag), 0);
	assert_string_equal(log_text, "nbd.ko(,0) ");
}

static void an_alias_of_no_module_is_not_found(void **state)
{
	(void)state;
	puts_at("lib/modules.alias", aliases);
	assert_int_equal(mod_load_alias("usb:v1", &diag), NBD_E_NOT_FOUND);
	assert_string_equal(diag.text, "no module for usb:v1");
	assert_int_equal(mod_load_alias("broken", &diag), NBD_E_NOT_FOUND);
}

static void patterns_match_as_the_shells_do(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} t[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "a", "", false },
		{ "*", "", true },
		{ "**", "abc", true },
		{ "a*c", "abbc", true },
		{ "a*c", "abcd", false },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "*ab", "aab", true },
		{ "a[bc]d", "abd", true },
		{ "a[bc]d", "aed", false },
		{ "a[0-9]", "a7", true },
		{ "a[0-9]", "ax", false },
		{ "a[!0-9]", "ax", true },
		{ "a[!0-9]", "a7", false },
		{ "a[", "a[", true },
		{ "a[b", "ab", false },
		{ "[]", "a", false },
		{ "[!]", "a", true },
		{ "[a-]", "-", true },
		{ "a-b_c", "a_b-c", true },
		{ "*a*b", "xaxxb", true },
		{ "*a*b", "xaxx", false },
		{ "d*v[A-F]*", "d1vB", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (mod_match(t[i].pattern, strlen(t[i].pattern), t[i].text) !=
		    t[i].match)
			fail_msg("%s on %s", t[i].pattern, t[i].text);
}

static void patterns_stay_inside_their_memory(void **state)
{
	static const char all[] = "a*[!b-d]?[x";
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char text[] = "aaxx[xaa[";

	(void)state;
	assert_true(p != MAP_FAILED);
	assert_int_equal(mprotect(p + 4096, 4096, PROT_NONE), 0);
	for (size_t n = 0; n < sizeof(all); n++) {
		memcpy(p + 4096 - n, all, n);
		for (size_t k = 0; k < sizeof(text); k++)
			mod_match(p + 4096 - n, n, text + k);
	}
	assert_true(mod_match(p + 4096 - 4, 0, ""));
	munmap(p, 8192);
}

static void a_pattern_of_many_stars_is_matched_in_bounded_time(void **state)
{
	static char pattern[4096], text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(pattern); i += 2)
		memcpy(pattern + i, "*a", 2);
	memset(text, 'a', sizeof(text) - 1);
	pattern[sizeof(pattern) - 1] = 'b';
	/* a matcher that tries all splits would not come back */
	assert_false(mod_match(pattern, sizeof(pattern), text));
}

static void unloading_says_why_not(void **state)
{
	(void)state;
	assert_int_equal(mod_unload("virtio-net", &diag), 0);
	assert_string_equal(log_text, "virtio_net");
	fail_errno = EWOULDBLOCK;
	assert_int_equal(mod_unload("nbd", &diag), NBD_E_IN_USE);
	fail_errno = ENOENT;
	assert_int_equal(mod_unload("nbd", &diag), NBD_E_NOT_FOUND);
	assert_string_equal(diag.text, "module nbd is not loaded");
	fail_errno = EPERM;
	assert_int_equal(mod_unload("nbd", &diag), NBD_E_PERM);
	fail_errno = EFAULT;
	assert_int_equal(mod_unload("nbd", &diag), NBD_E_KERNEL);
	assert_string_equal(diag.text, "unload nbd: Bad address");
}

#define TREE(f) cmocka_unit_test_setup_teardown(f, make_tree, drop_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE(dependencies_are_loaded_first_and_deepest_first),
		TREE(a_driver_that_never_returns_is_given_up),
		TREE(the_kernel_command_line_has_parameters),
		TREE(dash_and_underscore_are_the_same),
		TREE(what_is_live_is_not_loaded_again),
		TREE(a_module_loaded_meanwhile_is_a_success),
		TREE(built_in_is_a_success),
		TREE(an_unknown_module_is_named_with_the_list_it_is_not_in),
		TREE(a_missing_file_is_named),
		TREE(a_missing_file_may_be_fetched),
		TREE(a_refused_dependency_stops_the_loading),
		TREE(a_module_that_another_process_moves_is_tried_again),
		TREE(a_driver_that_is_busy_itself_is_given_up_soon),
		TREE(a_packed_module_is_left_to_the_kernel_to_unpack),
		TREE(a_cycle_in_modules_dep_ends),
		TREE(a_line_of_a_mebibyte_is_read_whole),
		TREE(a_name_has_63_characters_at_most),
		TREE(hostile_lists_are_refused_without_harm),
		TREE(wishes_are_loaded_first_by_name_or_alias),
		TREE(an_alias_loads_every_module_that_claims_it),
		TREE(one_loaded_module_is_enough_for_an_alias),
		TREE(an_alias_of_no_module_is_not_found),
		cmocka_unit_test(patterns_match_as_the_shells_do),
		cmocka_unit_test(lines_of_a_bus_are_found_in_a_grouped_table),
		cmocka_unit_test(a_table_that_is_not_grouped_stays_whole),
		cmocka_unit_test(a_table_that_is_cut_is_read_within_its_bounds),
		cmocka_unit_test(patterns_stay_inside_their_memory),
		cmocka_unit_test(
			a_pattern_of_many_stars_is_matched_in_bounded_time),
		TREE(unloading_says_why_not),
	};

	return cmocka_run_group_tests_name("modules", tests, NULL, NULL);
}
