/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of a root that are kept in memory, and what ELF files need. */
#include "boot/keep/keep.h"
#include "boot/system/console.h"
#include "tests/unit.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

int __wrap_mlock(const void *p, size_t len);

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static char home[] = "/tmp/nbdboot-keep-XXXXXX";
static struct keep k;
static struct nbd_diag d;
static size_t locked;

/* Not more than an unprivileged user may, and no page for ever. */
int __wrap_mlock(const void *p, size_t len)
{
	(void)p;
	locked += len;
	return 0;
}

static unsigned reads;

ssize_t __real_pread(int fd, void *p, size_t len, off_t at);
ssize_t __wrap_pread(int fd, void *p, size_t len, off_t at);
ssize_t __wrap_pread(int fd, void *p, size_t len, off_t at)
{
	reads++;
	return __real_pread(fd, p, len, at);
}

static void put(const char *name, const void *data, size_t len)
{
	int at = open(home, O_PATH | O_DIRECTORY), fd;

	unlinkat(at, name, 0);
	fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
	close(at);
}

static void put_link(const char *name, const char *to)
{
	int at = open(home, O_PATH | O_DIRECTORY);

	assert_int_equal(symlinkat(to, at, name), 0);
	close(at);
}

static int setup(void **state)
{
	static const char *const dirs[] = { "etc",     "usr",	  "usr/bin",
					    "usr/lib", "etc/pam", "etc/pam/d",
					    "etc/many" };
	int at;

	(void)state;
	assert_non_null(mkdtemp(home));
	at = open(home, O_PATH | O_DIRECTORY);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(mkdirat(at, dirs[i], 0755), 0);
	close(at);
	put_link("bin", "usr/bin");
	put_link("lib", "/usr/lib");
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	nbd_fmt(command, sizeof(command), "rm -rf %s", home);
	return system(command);
}

static int keep(const char *list, uint64_t max)
{
	memset(&k, 0, sizeof(k));
	locked = 0;
	k.root = open(home, O_RDONLY | O_DIRECTORY);
	k.max = max;
	return keep_list(&k, list, &d);
}

static void a_list_has_programs_files_and_directories(void **state)
{
	char page[5000] = "data";

	(void)state;
	put("usr/bin/tool", page, sizeof(page));
	put("etc/conf", "x", 1);
	put("etc/pam/a", "x", 1);
	put("etc/pam/d/b", "x", 1);
	assert_int_equal(keep("tool,,/etc/conf,/etc/pam,/bin/tool", 1 << 20),
			 NBD_OK);
	assert_int_equal(k.files, 4);
	assert_int_equal(k.failed, 0);
	assert_int_equal(k.bytes, locked);
	/* a page is 4 KiB or more */
	assert_true(k.bytes >= 5 * 4096);
}

static void what_is_missing_or_no_file_is_counted(void **state)
{
	char long_name[300];

	(void)state;
	assert_int_equal(keep("nothing,/etc/none,/etc/conf/below", 1 << 20),
			 NBD_OK);
	assert_int_equal(k.files, 0);
	assert_int_equal(k.failed, 3);
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(keep(long_name, 1 << 20), NBD_E_USAGE);
	/* a FIFO would block */
	assert_int_equal(mkfifoat(k.root, "etc/fifo", 0644), 0);
	assert_int_equal(keep("/etc/fifo", 1 << 20), NBD_OK);
	assert_int_equal(k.failed, 1);
}

static void memory_is_bounded(void **state)
{
	static char large[1 << 20];

	(void)state;
	put("usr/bin/large", large, sizeof(large));
	put("usr/bin/tool", "x", 1);
	assert_int_equal(keep("large,tool", 900 << 10), NBD_OK);
	assert_int_equal(k.files, 1);
	assert_int_equal(k.failed, 1);
	assert_true(k.bytes <= 900 << 10 && locked == k.bytes);
}

static unsigned said;

static void count(int level, const char *p, size_t len)
{
	char line[256];

	(void)level;
	snprintf(line, sizeof(line), "%.*s", (int)len, p);
	said += strstr(line, "more than 2048 files and links: what follows is "
			     "not kept") != NULL;
}

static void what_does_not_fit_the_table_is_reported_once(void **state)
{
	char name[32];

	(void)state;
	for (unsigned i = 0; i < KEEP_FILES + 3; i++) {
		nbd_fmt(name, sizeof(name), "etc/many/%u", i);
		put(name, "x", 1);
	}
	boot_console_log = count;
	assert_int_equal(keep("/etc/many", 1 << 30), NBD_OK);
	boot_console_log = NULL;
	assert_int_equal(k.files, KEEP_FILES - 2); /* two directories */
	assert_int_equal(k.failed, 3 + 2);
	assert_int_equal(said, 1);
}

static void links_stay_in_the_root(void **state)
{
	char outside[] = "/tmp/nbdboot-keep-out-XXXXXX", up[128];
	int fd = mkstemp(outside);

	(void)state;
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	put_link("etc/absolute", outside);
	nbd_fmt(up, sizeof(up), "../../../../../..%s", outside);
	put_link("etc/up", up);
	put_link("etc/loop", "loop");
	assert_int_equal(keep("/etc/absolute,/etc/up,/etc/loop", 1 << 20),
			 NBD_OK);
	assert_int_equal(k.files, 0);
	assert_int_equal(k.failed, 3);
	/* the same name, in the root */
	put_link("etc/inside", "/../../etc/conf");
	put("etc/conf", "x", 1);
	assert_int_equal(keep("/etc/inside", 1 << 20), NBD_OK);
	assert_int_equal(k.files, 1);
	unlink(outside);
}

static void an_interpreter_is_kept_with_its_script(void **state)
{
	(void)state;
	put("usr/bin/tool", "#! /bin/shell -e\n", 17);
	put("usr/bin/shell", "x", 1);
	assert_int_equal(keep("tool", 1 << 20), NBD_OK);
	assert_int_equal(k.files, 2);
}

/* How many descriptors stay open for a list. */
static unsigned opened(const char *list)
{
	unsigned n = 0;
	DIR *fds;

	assert_int_equal(keep(list, 1 << 20), NBD_OK);
	assert_int_equal(k.files, 1);
	fds = opendir("/proc/self/fd");
	while (readdir(fds))
		n++;
	closedir(fds);
	return n;
}

/* Nothing maps it: what holds it in memory is a descriptor. */
static void an_empty_file_stays_open(void **state)
{
	unsigned first, with_data, empty;

	(void)state;
	put("etc/conf", "x", 1);
	put("etc/empty", "", 0);
	first = opened("/etc/conf");
	with_data = opened("/etc/conf");
	empty = opened("/etc/empty");
	assert_int_equal(empty - with_data, with_data - first + 1);
}

static bool is_named(const char *name)
{
	for (unsigned i = 0; i < k.n_names; i++)
		if (!strcmp(k.names[i].text, name))
			return true;
	return false;
}

static void what_a_library_opens_by_itself_is_kept(void **state)
{
	struct utsname u;
	char tables[256];

	(void)state;
	assert_int_equal(uname(&u), 0);
	nbd_fmt(tables, sizeof(tables), "/lib/modules/%s/modules.dep.bin",
		u.release);
	put("etc/pam/libpam.so.0", "x", 1);
	put("etc/pam/libc.so.6", "x", 1);
	put("usr/bin/modprobe", "x", 1);
	put("etc/passwd", "x", 1);
	assert_int_equal(keep("/etc/pam/libpam.so.0,/etc/pam/libc.so.6",
			      1 << 20),
			 NBD_OK);
	/* of these /etc/passwd and modprobe are there: the others are no fault */
	assert_int_equal(k.files, 4);
	assert_int_equal(k.failed, 0);
	assert_true(is_named("/etc/pam/security"));
	assert_true(is_named("/etc/pam/gconv/gconv-modules.cache"));
	assert_true(is_named("/etc/pam.d"));
	assert_true(is_named(tables));
}

/* ---- ELF ---- */

static struct image {
	ElfW(Ehdr) head;
	ElfW(Phdr) h[3];
	ElfW(Dyn) dynamic[6];
	char names[64], interp[16];
} image;

#define AT(m) offsetof(struct image, m)

static void make_image(void)
{
	static const char names[] = "\0liba.so\0libb.so\0/usr/lib:$ORIGIN";

	image.head = __ehdr_start;
	image.head.e_phoff = AT(h);
	image.head.e_phentsize = sizeof(image.h[0]);
	image.head.e_phnum = 3;
	image.h[0] = (ElfW(Phdr)){ .p_type = PT_LOAD,
				   .p_vaddr = 0x10000,
				   .p_filesz = sizeof(image) };
	image.h[1] =
		(ElfW(Phdr)){ .p_type = PT_INTERP, .p_offset = AT(interp) };
	image.h[2] = (ElfW(Phdr)){ .p_type = PT_DYNAMIC,
				   .p_offset = AT(dynamic),
				   .p_filesz = sizeof(image.dynamic) };
	memcpy(image.names, names, sizeof(names));
	strcpy(image.interp, "/lib/ld.so");
	image.dynamic[0] = (ElfW(Dyn)){ DT_NEEDED, { 1 } };
	image.dynamic[1] = (ElfW(Dyn)){ DT_STRTAB, { 0x10000 + AT(names) } };
	image.dynamic[2] = (ElfW(Dyn)){ DT_STRSZ, { sizeof(names) } };
	image.dynamic[3] = (ElfW(Dyn)){ DT_NEEDED, { 9 } };
	image.dynamic[4] = (ElfW(Dyn)){ DT_RUNPATH, { 17 } };
}

static void a_program_is_kept_with_its_libraries(void **state)
{
	static const struct {
		char magic[20];
		uint32_t n, size, flags, more[4];
		struct {
			uint32_t flags, name, path, version;
			uint64_t hwcap;
		} entry[1];
		char text[32];
	} cache = { "glibc-ld.so.cache1.1",
		    1,
		    32,
		    0,
		    { 0 },
		    { { 3, 72, 80, 0, 0 } },
		    "liba.so\0/etc/pam/liba.so" };

	const uint32_t many = 1 << 19;
	char name[64];
	int fd;

	(void)state;
	snprintf(name, sizeof(name), "%s/etc/ld.so.cache", home);
	assert_int_equal(offsetof(__typeof__(cache), text), 72);
	make_image();
	put("usr/bin/tool", &image, sizeof(image));
	image.head.e_phnum = 0;
	put("usr/lib/ld.so", &image, sizeof(image));
	put("usr/lib/libb.so", &image, sizeof(image));
	put("etc/pam/liba.so", &image, sizeof(image));
	put("etc/ld.so.cache", &cache, sizeof(cache));
	assert_int_equal(keep("tool", 1 << 20), NBD_OK);
	/* and the cache */
	assert_int_equal(k.files, 5);
	assert_int_equal(k.failed, 0);
	/* in a cache of a stranger there is an end to the search */
	fd = openat(AT_FDCWD, name, O_WRONLY);
	assert_int_equal(pwrite(fd, &many, sizeof(many), 20), sizeof(many));
	assert_int_equal(ftruncate(fd, 48 + 24 * (off_t)many), 0);
	close(fd);
	reads = 0;
	assert_int_equal(keep("tool", 1 << 20), NBD_OK);
	assert_in_range(reads, 1, 1 << 19);
	put("etc/ld.so.cache", &cache, sizeof(cache));
	/* a library of another machine is not the one */
	image.head.e_machine ^= 1;
	put("usr/lib/libb.so", &image, sizeof(image));
	assert_int_equal(keep("tool", 1 << 20), NBD_OK);
	assert_int_equal(k.files, 4);
}

/* Each byte of it, changed and cut: nothing else is read or written. */
static void an_elf_file_may_be_anything(void **state)
{
	static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct image good;

	(void)state;
	make_image();
	good = image;
	for (size_t i = 0; i < sizeof(image); i++) {
		put("usr/bin/tool", &good, i);
		assert_int_equal(keep("tool", 1 << 20), NBD_OK);
		for (size_t j = 0; j < ARRAY_SIZE(odd); j++) {
			image = good;
			((uint8_t *)&image)[i] = odd[j];
			put("usr/bin/tool", &image, sizeof(image));
			assert_int_equal(keep("tool", 1 << 20), NBD_OK);
			assert_true(k.n_names < KEEP_NAMES && k.files);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_has_programs_files_and_directories),
		cmocka_unit_test(what_is_missing_or_no_file_is_counted),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(what_does_not_fit_the_table_is_reported_once),
		cmocka_unit_test(links_stay_in_the_root),
		cmocka_unit_test(an_interpreter_is_kept_with_its_script),
		cmocka_unit_test(an_empty_file_stays_open),
		cmocka_unit_test(what_a_library_opens_by_itself_is_kept),
		cmocka_unit_test(a_program_is_kept_with_its_libraries),
		cmocka_unit_test(an_elf_file_may_be_anything),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
