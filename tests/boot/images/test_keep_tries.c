/* SPDX-License-Identifier: BSD-2-Clause */
/* The variable of the firmware, as a file, and the text of this boot. */
#include "boot/images/trial.h"
#include "tests/unit.h"
#include "tests/world/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int __wrap_ioctl(int fd, unsigned long request, ...);

#define MOUNT "mount -t efivarfs -o nosuid,nodev,noexec efivarfs "

static char dir[] = "/tmp/nbdboot-images-XXXXXX";
static bool immutable;
static unsigned changes;

/* efivarfs refuses to write to what is immutable. */
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	int *flags;

	va_start(ap, request);
	flags = va_arg(ap, int *);
	va_end(ap);
	if (request == FS_IOC_GETFLAGS) {
		*flags = immutable ? FS_IMMUTABLE_FL : 0;
		return 0;
	}
	immutable = *flags & FS_IMMUTABLE_FL;
	changes++;
	return fchmod(fd, immutable ? 0400 : 0600);
}

static void read_file(char buf[600], size_t *len)
{
	int at = open(dir, O_RDONLY | O_DIRECTORY);
	int fd = openat(at, IMAGES_EFI_NAME, O_RDONLY);
	ssize_t n = read(fd, buf, 600);

	assert_true(n >= 0);
	*len = (size_t)n;
	close(fd);
	close(at);
}

static void a_variable_is_kept_and_stays_immutable(void **state)
{
	struct images_keeper k;
	struct images_tries t = { 0 }, back;
	struct nbd_diag d = { "" };
	char buf[600];
	size_t len;

	(void)state;
	assert_int_equal(images_keeper_open(&k, NULL, dir, &d), NBD_OK);
	assert_int_equal(images_keeper_read(&k, &back, &d), NBD_OK);
	assert_true(!back.good && !back.n && !d.text[0]);
	images_set_tried(&t, 7, 1);
	images_set_good(&t, 9);
	for (unsigned i = 0; i < 2; i++) {
		changes = 0;
		assert_int_equal(images_keeper_write(&k, &t, &d), NBD_OK);
		assert_true(immutable);
		assert_int_equal(changes, 1 + i);
	}
	read_file(buf, &len);
	assert_memory_equal(buf, "\7\0\0\0nbdboot-images 1\n", 21);
	assert_int_equal(buf[len - 1], '\n');
	assert_int_equal(images_keeper_read(&k, &back, &d), NBD_OK);
	assert_memory_equal(&t, &back, sizeof(t));
	images_keeper_close(&k);
}

static void a_variable_with_another_text_counts_as_nothing(void **state)
{
	struct images_keeper k;
	struct images_tries t = { .good = 1 };
	struct nbd_diag d = { "" };
	char path[200];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/%s", dir, IMAGES_EFI_NAME);
	unlink(path);
	f = fopen(path, "w");
	for (unsigned i = 0; i < 9000; i++)
		fputc('x', f);
	fclose(f);
	assert_int_equal(images_keeper_open(&k, NULL, dir, &d), NBD_OK);
	assert_int_equal(images_keeper_read(&k, &t, &d), NBD_OK);
	assert_true(!t.good && !t.n && d.text[0]);
	images_keeper_close(&k);
	unlink(path);
}

static void a_machine_without_firmware_has_no_variable(void **state)
{
	struct images_keeper k;
	struct nbd_diag d;

	(void)state;
	world_refuses("mount *", ENODEV, 0);
	assert_int_equal(images_keeper_open(&k, NULL, "/nowhere", &d),
			 NBD_E_NOT_FOUND);
	assert_false(k.known);
	assert_string_equal(world.story, MOUNT "/nowhere\n");
	assert_int_equal(images_keeper_open(&k, "nbd://[", dir, &d), NBD_E_URI);
}

static void its_file_system_is_mounted_only_to_open_it(void **state)
{
	struct images_keeper k;
	struct nbd_diag d;
	char story[200];

	(void)state;
	snprintf(story, sizeof(story), MOUNT "%s\numount -l %s\n", dir, dir);
	assert_int_equal(images_keeper_open(&k, NULL, dir, &d), NBD_OK);
	assert_string_equal(world.story, story);
	images_keeper_close(&k);
}

static void the_text_of_this_boot_has_values_by_name(void **state)
{
	static const char text[] = "image nbd://s/a\nid 00d1e2f3a4b5c6d7\n"
				   "kept \nleft nbd://s/b\nleft nbd://s/c";
	char buf[16];
	size_t len;
	const char *at;

	(void)state;
	assert_string_equal(images_now_copy(text, "image", buf, sizeof(buf)),
			    "nbd://s/a");
	assert_string_equal(images_now_copy(text, "kept", buf, sizeof(buf)),
			    "");
	assert_string_equal(images_now_copy(text, "lef", buf, sizeof(buf)), "");
	/* no room */
	assert_string_equal(images_now_copy(text, "id", buf, sizeof(buf)), "");
	assert_true(images_now_id(text) == 0x00d1e2f3a4b5c6d7u);
	assert_true(!images_now_id("id 00d1e2f3a4b5c6d\n"));
	assert_true(!images_now_id(""));
	at = images_now(text, "left", NULL, &len);
	assert_memory_equal(at, "nbd://s/b", len);
	at = images_now(text, "left", at, &len);
	assert_memory_equal(at, "nbd://s/c", len);
	assert_null(images_now(text, "left", at, &len));
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return rmdir(dir);
}

static int fresh(void **state)
{
	(void)state;
	world_reset();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_variable_is_kept_and_stays_immutable),
		cmocka_unit_test(
			a_variable_with_another_text_counts_as_nothing),
		cmocka_unit_test_setup(
			a_machine_without_firmware_has_no_variable, fresh),
		cmocka_unit_test_setup(
			its_file_system_is_mounted_only_to_open_it, fresh),
		cmocka_unit_test(the_text_of_this_boot_has_values_by_name),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
