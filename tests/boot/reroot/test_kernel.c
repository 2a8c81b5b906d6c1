/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernel and initramfs are taken from a root, made for the question. */
#include "tests/unit.h"
#include "tests/world/file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/reroot/kexec.h"
#include "port/linux/file.h"

static char top[] = "/tmp/test_kernel.XXXXXX";
static struct nbd_diag d;
static struct reroot_kernel k;
static int copies[REROOT_FILES]; /* the descriptors of the parent */

/* ---- the root ---- */

static const char *at(const char *path)
{
	static char full[300];

	snprintf(full, sizeof(full), "%s/%s", top, path);
	return full;
}

static void run(const char *command)
{
	char line[300];

	snprintf(line, sizeof(line), command, top);
	assert_int_equal(system(line), 0);
}

/* Each file holds its own name. */
static void put(const char *path)
{
	char full[300];
	FILE *f;

	strcpy(full, at(path));
	for (char *p = full + sizeof(top); (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(path, f);
	fclose(f);
}

/* Makes a root with these files, separated by blanks. */
static void root(const char *paths)
{
	char list[500], *path, *save;

	run("rm -rf %s/*");
	snprintf(list, sizeof(list), "%s", paths);
	for (path = strtok_r(list, " ", &save); path;
	     path = strtok_r(NULL, " ", &save))
		put(path);
}

static int reset(void **state)
{
	(void)state;
	k = (struct reroot_kernel){ .wanted = true };
	d.text[0] = '\0';
	world_file("/proc/meminfo", "MemAvailable: 1048576 kB\n");
	return 0;
}

static int take(void)
{
	int rc = reroot_kernel_begin(&k, &d);

	if (rc)
		return rc;
	for (unsigned i = 0; i < REROOT_FILES; i++)
		copies[i] = dup(k.fd[i]);
	rc = reroot_kernel_take(&k, top, &d);
	for (unsigned i = 0; rc && i < REROOT_FILES; i++)
		close(copies[i]);
	return rc;
}

/* The copy holds the path of the file that was chosen. */
static void copied(unsigned i, const char *path)
{
	char text[300] = "";

	assert_string_equal(k.path[i], path);
	path += *path == '/';
	assert_int_equal(pread(copies[i], text, sizeof(text), 0), strlen(path));
	assert_string_equal(text, path);
	close(copies[i]);
}

static void takes(const char *kernel, const char *initrd)
{
	if (take())
		fail_msg("%s", d.text);
	copied(REROOT_KERNEL, kernel);
	copied(REROOT_INITRD, initrd);
}

static void refuses(int rc, const char *why)
{
	assert_int_equal(take(), rc);
	if (!strstr(d.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, d.text);
}

/* ---- which files ---- */

static void the_links_in_the_root_are_the_first_choice(void **state)
{
	(void)state;
	root("vmlinuz initrd.img boot/vmlinuz-9 boot/initrd.img-9");
	takes("/vmlinuz", "/initrd.img");
	root("boot/vmlinuz boot/initrd boot/vmlinuz-9 boot/initrd.img-9");
	reset(state);
	takes("/boot/vmlinuz", "/boot/initrd");
}

static void the_newest_version_wins(void **state)
{
	(void)state;
	root("boot/vmlinuz-6.1.0-9 boot/vmlinuz-6.1.0-10 boot/vmlinuz-5.10 "
	     "boot/initrd.img-6.1.0-9 boot/initrd.img-6.1.0-10 "
	     "boot/initrd.img-5.10 boot/vmlinuz-6.1.0-10.old "
	     "boot/vmlinuz-7.dpkg-bak boot/config-8");
	takes("/boot/vmlinuz-6.1.0-10", "/boot/initrd.img-6.1.0-10");
}

static void a_link_that_leads_nowhere_is_passed_over(void **state)
{
	(void)state;
	root("boot/vmlinuz-6 boot/initrd.img-6");
	assert_int_equal(symlink("boot/vmlinuz-5", at("vmlinuz")), 0);
	takes("/boot/vmlinuz-6", "/boot/initrd.img-6");
}

/* The same path outside of the root has another file. */
static void links_stay_inside_of_the_root(void **state)
{
	char text[32] = "";

	(void)state;
	root("etc/passwd initrd.img");
	assert_int_equal(symlink("/etc/passwd", at("vmlinuz")), 0);
	if (take())
		fail_msg("%s", d.text);
	assert_int_equal(pread(copies[0], text, sizeof(text) - 1, 0), 10);
	assert_string_equal(text, "etc/passwd");
	close(copies[0]);
	close(copies[1]);
}

static void a_kernel_may_lie_with_its_modules(void **state)
{
	(void)state;
	root("usr/lib/modules/6.9/vmlinuz usr/lib/modules/6.10/vmlinuz "
	     "usr/lib/modules/6.11/modules.dep boot/initrd.img-6.10");
	takes("/usr/lib/modules/6.10/vmlinuz", "/boot/initrd.img-6.10");
	reset(state);
	put("usr/lib/modules/6.10/initrd");
	takes("/usr/lib/modules/6.10/vmlinuz", "/usr/lib/modules/6.10/initrd");
}

static void other_distributions_name_the_initramfs_otherwise(void **state)
{
	static const char *const names[] = { "initramfs-lts.img",
					     "initramfs-lts", "initrd-lts" };
	char list[100], path[100];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		reset(state);
		snprintf(path, sizeof(path), "/boot/%s", names[i]);
		snprintf(list, sizeof(list), "boot/vmlinuz-lts boot/%s",
			 names[i]);
		root(list);
		takes("/boot/vmlinuz-lts", path);
	}
}

static void files_that_are_named_are_taken(void **state)
{
	(void)state;
	root("vmlinuz initrd.img boot/vmlinuz-5 boot/initrd.img-5 srv/x");
	k.wish[REROOT_KERNEL] = "/boot/vmlinuz-5";
	takes("/boot/vmlinuz-5", "/boot/initrd.img-5");
	reset(state);
	k.wish[REROOT_INITRD] = "srv/x";
	takes("/vmlinuz", "srv/x");
	reset(state);
	k.wish[REROOT_KERNEL] = "srv/x";
	k.wish[REROOT_INITRD] = "none";
	takes("srv/x", "");
}

static void a_root_without_a_kernel_or_initramfs_is_refused(void **state)
{
	(void)state;
	root("boot/config-6 boot/initrd.img-6");
	refuses(NBD_E_NOT_FOUND, "the new root has no kernel");
	put("boot/vmlinuz-7");
	reset(state);
	refuses(NBD_E_NOT_FOUND, "no initramfs for /boot/vmlinuz-7 (--initrd");
}

static void files_that_cannot_be_read_are_refused(void **state)
{
	(void)state;
	root("vmlinuz initrd.img");
	k.wish[REROOT_KERNEL] = "/boot/gone";
	k.wish[REROOT_INITRD] = "/initrd.img";
	refuses(NBD_E_IO, "read /boot/gone of the new root: No such file");
	reset(state);
	k.wish[REROOT_INITRD] = "/";
	refuses(NBD_E_IO, "read / of the new root: not a regular file");
	reset(state);
	run(": >%s/empty");
	k.wish[REROOT_INITRD] = "/empty";
	refuses(NBD_E_IO, "the file is empty");
	reset(state);
	run("mkfifo %s/fifo");
	k.wish[REROOT_INITRD] = "/fifo";
	refuses(NBD_E_IO, "not a regular file");
}

static void memory_for_all_copies_must_be_free(void **state)
{
	(void)state;
	root("initrd.img");
	run("head -c 4194304 /dev/zero >%s/vmlinuz");
	world_file("/proc/meminfo", "MemAvailable: 12288 kB\n");
	refuses(NBD_E_NO_MEMORY, "12288 KiB of memory are free");
	reset(state);
	world_file("/proc/meminfo", "MemAvailable: 12289 kB\n");
	assert_int_equal(take(), 0);
	assert_int_equal(lseek(copies[0], 0, SEEK_END), 4194304);
	close(copies[0]);
	close(copies[1]);
}

/* As with --when-ready. */
static void a_second_try_copies_anew(void **state)
{
	int first;

	(void)state;
	root("boot/vmlinuz-a-long-name boot/initrd.img-a-long-name");
	assert_int_equal(take(), 0);
	first = copies[0];
	close(copies[1]);
	root("boot/vmlinuz-b boot/initrd.img-b");
	k.fd[0] = dup(first);
	k.fd[1] = dup(first);
	k.wish[REROOT_INITRD] = "none";
	assert_int_equal(reroot_kernel_take(&k, top, &d), 0);
	copies[0] = first;
	copied(REROOT_KERNEL, "/boot/vmlinuz-b");
}

/* ---- words to append ---- */

static void append(const char *words, int rc, const char *why)
{
	k.append = words;
	d.text[0] = '\0';
	assert_int_equal(reroot_kernel_begin(&k, &d), rc);
	if (!strstr(d.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, d.text);
}

static void words_to_append_are_checked(void **state)
{
	(void)state;
	append("quiet panic=5 dyndbg=\"file x +p\" -- single", 0, "");
	append("quiet\nroot=/dev/sda1", NBD_E_USAGE, "control characters");
	append("a\x7f", NBD_E_USAGE, "control characters");
	append("a=\"b", NBD_E_USAGE, "a double quote is missing");
	append("root=/dev/sda1", NBD_E_USAGE, "the operand names the root");
	append("\"root=/dev/sda1\"", NBD_E_USAGE, "the operand names the root");
	append("nbdroot=h,x", NBD_E_USAGE, "the operand names the root");
	append("nbdboot.slots=x", NBD_E_USAGE, "nbdboot.slots=x: not a number");
}

static void a_path_that_is_too_long_is_refused(void **state)
{
	static char path[600];

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	k.wish[REROOT_KERNEL] = path;
	refuses(NBD_E_USAGE, "the kernel is longer than 511 bytes");
}

static int setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	run("rm -rf %s");
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			the_links_in_the_root_are_the_first_choice, reset),
		cmocka_unit_test_setup(the_newest_version_wins, reset),
		cmocka_unit_test_setup(a_link_that_leads_nowhere_is_passed_over,
				       reset),
		cmocka_unit_test_setup(links_stay_inside_of_the_root, reset),
		cmocka_unit_test_setup(a_kernel_may_lie_with_its_modules,
				       reset),
		cmocka_unit_test_setup(
			other_distributions_name_the_initramfs_otherwise,
			reset),
		cmocka_unit_test_setup(files_that_are_named_are_taken, reset),
		cmocka_unit_test_setup(
			a_root_without_a_kernel_or_initramfs_is_refused, reset),
		cmocka_unit_test_setup(files_that_cannot_be_read_are_refused,
				       reset),
		cmocka_unit_test_setup(memory_for_all_copies_must_be_free,
				       reset),
		cmocka_unit_test_setup(a_second_try_copies_anew, reset),
		cmocka_unit_test_setup(words_to_append_are_checked, reset),
		cmocka_unit_test_setup(a_path_that_is_too_long_is_refused,
				       reset),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
