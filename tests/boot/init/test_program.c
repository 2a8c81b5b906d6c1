/* SPDX-License-Identifier: BSD-2-Clause */
/* Can the new init be executed? Answered on roots made for the question. */
#include "tests/unit.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/init/program.h"

static char top[] = "/tmp/test_program.XXXXXX";
static struct nbd_diag d;

static const char *at(const char *path)
{
	static char full[2][256];
	static unsigned i;

	snprintf(full[++i & 1], 256, "%s%s", top, path);
	return full[i & 1];
}

static void file(const char *path, const void *p, size_t len, mode_t mode)
{
	FILE *f = fopen(at(path), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, len, f), len);
	fclose(f);
	assert_int_equal(chmod(at(path), mode), 0);
}

static void script(const char *path, const char *text)
{
	file(path, text, strlen(text), 0755);
}

/* The head of a program of this machine, without an interpreter. */
static size_t elf(unsigned char buf[512])
{
	FILE *f = fopen("/proc/self/exe", "r");

	assert_non_null(f);
	assert_int_equal(fread(buf, 1, 64, f), 64);
	fclose(f);
	memset(buf + 64, 0, 512 - 64);
	((Elf64_Ehdr *)(void *)buf)->e_phoff = 64;
	((Elf64_Ehdr *)(void *)buf)->e_phnum = 1;
	return 512;
}

static int setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	assert_int_equal(mkdir(at("/sbin"), 0755), 0);
	return mkdir(at("/lib"), 0755);
}

static int teardown(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	return system(cmd);
}

static void says(const char *init, int rc, const char *what)
{
	d.text[0] = '\0';
	assert_int_equal(init_program_check(top, init, &d), rc);
	if (what && !strstr(d.text, what))
		fail_msg("\"%s\" is not in \"%s\"", what, d.text);
}

static void a_static_program_is_fit(void **state)
{
	unsigned char buf[512];

	(void)state;
	file("/sbin/init", buf, elf(buf), 0755);
	says("/sbin/init", 0, NULL);
	says("sbin/init", 0, NULL);
	/* the caller's root and directory are as before */
	assert_int_equal(access(at("/sbin/init"), F_OK), 0);
}

static void what_is_not_there_is_named(void **state)
{
	(void)state;
	says("/sbin/none", NBD_E_NOT_FOUND, "/sbin/none");
	says("/none/init", NBD_E_NOT_FOUND, "/none/init");
	d.text[0] = '\0';
	assert_int_equal(init_program_check("/nowhere/at/all", "/init", &d),
			 NBD_E_PERM);
	assert_non_null(strstr(d.text, "/nowhere/at/all"));
}

static void links_are_followed_inside_the_new_root(void **state)
{
	unsigned char buf[512];

	(void)state;
	file("/lib/systemd", buf, elf(buf), 0755);
	assert_int_equal(symlink("/lib/systemd", at("/sbin/abs")), 0);
	assert_int_equal(symlink("../lib/systemd", at("/sbin/rel")), 0);
	assert_int_equal(symlink("../../../../lib/systemd", at("/sbin/up")), 0);
	says("/sbin/abs", 0, NULL);
	says("/sbin/rel", 0, NULL);
	says("/sbin/up", 0, NULL);
	/* this machine has it, the new root has not */
	assert_int_equal(access("/bin/sh", X_OK), 0);
	assert_int_equal(symlink("/bin/sh", at("/sbin/out")), 0);
	says("/sbin/out", NBD_E_KERNEL, "No such file");
	assert_int_equal(symlink("loop", at("/sbin/loop")), 0);
	says("/sbin/loop", NBD_E_KERNEL, "/sbin/loop");
}

static void what_cannot_be_executed_is_refused(void **state)
{
	unsigned char buf[512];
	size_t n = elf(buf);

	(void)state;
	file("/sbin/plain", buf, n, 0644);
	says("/sbin/plain", NBD_E_KERNEL, "Permission denied");
	says("/sbin", NBD_E_KERNEL, "not a regular file");
	script("/sbin/empty", "");
	says("/sbin/empty", NBD_E_KERNEL, "empty");
	script("/sbin/text", "echo hello\n");
	says("/sbin/text", NBD_E_KERNEL, "neither ELF nor #!");
}

static void a_file_system_without_exec_is_reported(void **state)
{
	unsigned char buf[512];

	(void)state;
	assert_int_equal(mkdir(at("/mnt"), 0755), 0);
	if (mount("tmpfs", at("/mnt"), "tmpfs", MS_NOEXEC, NULL))
		fail_msg("this test mounts: run it as root");
	file("/mnt/init", buf, elf(buf), 0755);
	says("/mnt/init", NBD_E_KERNEL, "Permission denied");
	assert_int_equal(umount(at("/mnt")), 0);
}

static void a_script_needs_its_interpreter(void **state)
{
	unsigned char buf[512];

	(void)state;
	script("/sbin/a", "#!/lib/shell -e\nexit\n");
	says("/sbin/a", NBD_E_KERNEL, "interpreter /lib/shell: No such file");
	file("/lib/shell", buf, elf(buf), 0755);
	says("/sbin/a", 0, NULL);
	script("/sbin/b", "#! \t/lib/shell\n");
	says("/sbin/b", 0, NULL);
	/* a carriage return is no part of the name here, but is to the kernel:
	 * it looks for "shell\r" */
	script("/sbin/c", "#!/lib/shell\r\n");
	says("/sbin/c", NBD_E_KERNEL, "interpreter /lib/shell\\x0d");
	script("/sbin/d", "#!");
	says("/sbin/d", NBD_E_KERNEL, "/sbin/d");
	script("/sbin/e", "#!  \n/lib/shell");
	says("/sbin/e", NBD_E_KERNEL, "no interpreter");
	script("/sbin/f", "#!/sbin/f\n");
	says("/sbin/f", NBD_E_KERNEL, "too many nested");
	assert_int_equal(chmod(at("/lib/shell"), 0644), 0);
	says("/sbin/a", NBD_E_KERNEL, "Permission denied");
}

static void an_interpreter_longer_than_the_head_is_refused(void **state)
{
	char buf[300];

	(void)state;
	memset(buf, 'x', sizeof(buf));
	buf[0] = '#';
	buf[1] = '!';
	buf[2] = '/';
	file("/sbin/long", buf, sizeof(buf), 0755);
	says("/sbin/long", NBD_E_KERNEL, "/sbin/long");
}

/* A program header in the place that elf() left for one. */
static void interp(unsigned char *buf, uint64_t offset, uint64_t size)
{
	Elf64_Phdr *p = (void *)(buf + 64);

	p->p_type = PT_INTERP;
	p->p_offset = offset;
	p->p_filesz = size;
}

static void a_dynamic_program_needs_its_loader(void **state)
{
	unsigned char buf[512];
	size_t n = elf(buf);

	(void)state;
	interp(buf, 200, 9);
	memcpy(buf + 200, "/lib/ld1", 9);
	file("/sbin/dyn", buf, n, 0755);
	says("/sbin/dyn", NBD_E_KERNEL, "interpreter /lib/ld1: No such file");
	elf(buf);
	file("/lib/ld1", buf, n, 0755);
	says("/sbin/dyn", 0, NULL);
}

static void a_broken_program_is_refused(void **state)
{
	static const struct {
		uint64_t offset, size;
	} bad[] = {
		{ 200, 0 },	   { 200, 1 },		{ 200, 8 },
		{ 200, 5000 },	   { 200, UINT64_MAX }, { UINT64_MAX, 9 },
		{ 1ull << 63, 9 }, { 510, 9 },
	};
	unsigned char buf[512];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		n = elf(buf);
		memcpy(buf + 200, "/lib/ld1", 9);
		interp(buf, bad[i].offset, bad[i].size);
		file("/sbin/bad", buf, n, 0755);
		says("/sbin/bad", NBD_E_KERNEL, "broken ELF");
	}
	elf(buf);
	((Elf64_Ehdr *)(void *)buf)->e_phnum = 0xffff;
	file("/sbin/bad", buf, n, 0755);
	says("/sbin/bad", NBD_E_KERNEL, "cut short");
	((Elf64_Ehdr *)(void *)buf)->e_phoff = UINT64_MAX - 8;
	file("/sbin/bad", buf, n, 0755);
	says("/sbin/bad", NBD_E_KERNEL, "cut short");
	file("/sbin/bad", buf, 60, 0755);
	says("/sbin/bad", NBD_E_KERNEL, "/sbin/bad");
}

static void a_program_of_another_machine_is_refused(void **state)
{
	unsigned char buf[512];
	size_t n = elf(buf);

	(void)state;
	buf[18] ^= 0x55;
	file("/sbin/other", buf, n, 0755);
	says("/sbin/other", NBD_E_KERNEL, "another machine");
	elf(buf);
	buf[EI_DATA] ^= 3;
	file("/sbin/other", buf, n, 0755);
	says("/sbin/other", NBD_E_KERNEL, "another machine");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_static_program_is_fit),
		cmocka_unit_test(what_is_not_there_is_named),
		cmocka_unit_test(links_are_followed_inside_the_new_root),
		cmocka_unit_test(what_cannot_be_executed_is_refused),
		cmocka_unit_test(a_file_system_without_exec_is_reported),
		cmocka_unit_test(a_script_needs_its_interpreter),
		cmocka_unit_test(
			an_interpreter_longer_than_the_head_is_refused),
		cmocka_unit_test(a_dynamic_program_needs_its_loader),
		cmocka_unit_test(a_broken_program_is_refused),
		cmocka_unit_test(a_program_of_another_machine_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
