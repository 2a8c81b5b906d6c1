/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device stands on, in a sysfs that is made for it. */
#include "boot/mapper/mapper.h"
#include "tests/unit.h"
#include "tests/world/open.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static char top[] = "/tmp/test_below.XXXXXX", sys[64];
static struct loop_info64 info; /* of the loop device, /dev/loop0 */

int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request != LOOP_GET_STATUS64)
		return __real_ioctl(fd, request, arg);
	memcpy(arg, &info, sizeof(info));
	return 0;
}

__attribute__((format(printf, 1, 2))) static void run(const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	assert_int_equal(system(line), 0);
}

/* "nbd0", or "nbd0 nbd0p1": a partition of it */
static void part(const char *disk, const char *name)
{
	run("cd %s && mkdir -p %s/%s && echo 1 >%s/%s/partition && "
	    "ln -s %s/%s %s",
	    sys, disk, name, disk, name, disk, name, name);
}

static void over(const char *name, const char *below)
{
	run("cd %s && mkdir -p %s/slaves/%s %s/holders/%s", sys, name, below,
	    below, name);
}

static int begin(void **state)
{
	(void)state;
	world.others = WORLD_REAL;
	world_link("/dev/loop0", "/dev/null");
	run("rm -rf %s/* && mkdir -p %s %s/dev/block", top, sys, top);
	memset(&info, 0, sizeof(info));
	part("nbd0", "nbd0p2");
	return 0;
}

static bool stands(const char *name, const char *disk)
{
	return mapper_stands_on(sys, name, disk);
}

static void partitions_are_followed_to_their_disks(void **state)
{
	char disk[MAPPER_DEVICE];

	(void)state;
	over("md0", "nbd0p2");
	part("md0", "md0p1");
	over("dm-0", "md0p1");
	over("dm-1", "dm-0");
	assert_true(stands("nbd0", "nbd0"));
	assert_true(stands("nbd0p2", "nbd0"));
	assert_true(stands("md0p1", "nbd0"));
	assert_true(stands("dm-1", "nbd0"));
	assert_true(stands("dm-1", NULL));
	assert_false(stands("dm-1", "nbd1"));
	assert_false(stands("nbd0p2", "nbd"));
	assert_false(stands("none", "nbd0"));
	mapper_whole(disk, sys, "md0p1");
	assert_string_equal(disk, "md0");
	mapper_whole(disk, sys, "dm-1");
	assert_string_equal(disk, "dm-1");
	assert_true(mapper_is_held(sys, "md0p1"));
	/* by what stands on its disk */
	part("md0", "md0p2");
	assert_false(mapper_is_held(sys, "md0p2"));
	over("dm-2", "md0");
	assert_true(mapper_is_held(sys, "md0p2"));
	assert_false(mapper_is_held(sys, "dm-1"));
}

static void a_disk_of_the_machine_is_not_ours(void **state)
{
	(void)state;
	part("sda", "sda1");
	over("md0", "sda1");
	over("dm-0", "md0");
	assert_false(stands("dm-0", NULL));
	assert_false(stands("sda1", NULL));
	/* of a mirror one half is */
	over("md0", "nbd0p2");
	assert_true(stands("dm-0", NULL));
}

static void a_loop_device_is_where_its_file_is(void **state)
{
	(void)state;
	over("dm-0", "loop0");
	info.lo_device = makedev(8, 1);
	run("cd %s/dev/block && ln -s ../x/sda/sda1 8:1 && "
	    "ln -s ../x/dm-4 254:4 && ln -s ../x/nbd0/nbd0p2 43:2",
	    top);
	part("sda", "sda1");
	assert_false(stands("dm-0", NULL));
	/* a file on an encrypted root */
	over("dm-4", "nbd0p2");
	info.lo_device = makedev(254, 4);
	assert_true(stands("dm-0", NULL));
	/* a device */
	info.lo_device = makedev(0, 5);
	assert_false(stands("dm-0", NULL));
	info.lo_rdevice = makedev(43, 2);
	assert_true(stands("dm-0", NULL));
	/* the copy of a root in RAM, whose path may be lost */
	info.lo_rdevice = 0;
	assert_false(stands("dm-0", NULL));
	strcpy((char *)info.lo_file_name, MAPPER_RAM);
	assert_true(stands("dm-0", NULL));
	/* of one disk it is none */
	assert_false(stands("dm-0", "nbd0"));
	assert_true(stands("dm-0", "loop0"));
	assert_false(stands("dm-0", "loop1"));
}

/* Each of 20 devices stands on two, and these on all ways below them. */
static void no_stack_takes_for_ever(void **state)
{
	char name[2][24];

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		for (unsigned j = 0; j < 4; j++) {
			snprintf(name[0], 24, "dm-%u%c", i, 'a' + j % 2);
			snprintf(name[1], 24, "dm-%u%c", i + 1, 'a' + j / 2);
			over(name[0], name[1]);
		}
	assert_false(stands("dm-0a", NULL));
	/* a circle, which no kernel has */
	over("dm-20a", "dm-0a");
	over("dm-20b", "dm-0b");
	assert_false(stands("dm-0a", NULL));
}

static void volumes_are_those_of_other_programs(void **state)
{
	(void)state;
	over("dm-0", "nbd0p2");
	over("dm-1", "dm-0");
	part("md0", "md0p1");
	run("cd %s && mkdir dm-0/dm dm-1/dm && echo nbdboot-nbd0 >dm-0/dm/name"
	    " && echo nbdboot-verity-nbd0 >dm-1/dm/name",
	    sys);
	assert_false(mapper_is_volume(sys, "nbd0p2"));
	assert_false(mapper_is_volume(sys, "dm-1"));
	assert_true(mapper_is_volume(sys, "md0p1"));
	run("echo vg-root >%s/dm-0/dm/name", sys);
	assert_true(mapper_is_volume(sys, "dm-0"));
	assert_true(mapper_is_volume(sys, "dm-1"));
	run("echo nbd >%s/dm-0/dm/name", sys);
	assert_true(mapper_is_volume(sys, "dm-0"));
}

static void the_mapping_of_a_root_is_its_device(void **state)
{
	char below[MAPPER_DEVICE];

	(void)state;
	over("dm-0", "loop0");
	run("cd %s && mkdir dm-0/dm && echo nbdboot-nbd0 >dm-0/dm/name", sys);
	/* all of it is in RAM, or on a disk */
	assert_false(mapper_is_root(sys, "dm-0", below));
	over("dm-0", "nbd0p2");
	assert_true(mapper_is_root(sys, "dm-0", below));
	assert_string_equal(below, "nbd0p2");
	assert_false(mapper_is_root(sys, "nbd0", below));
	run("echo nbdboot-verity-nbd0 >%s/dm-0/dm/name", sys);
	assert_false(mapper_is_root(sys, "dm-0", below));
	run("echo vg-root >%s/dm-0/dm/name", sys);
	assert_false(mapper_is_root(sys, "dm-0", below));
}

static int remove_all(void **state)
{
	(void)state;
	run("rm -rf %s", top);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(partitions_are_followed_to_their_disks,
				       begin),
		cmocka_unit_test_setup(a_disk_of_the_machine_is_not_ours,
				       begin),
		cmocka_unit_test_setup(a_loop_device_is_where_its_file_is,
				       begin),
		cmocka_unit_test_setup(no_stack_takes_for_ever, begin),
		cmocka_unit_test_setup(volumes_are_those_of_other_programs,
				       begin),
		cmocka_unit_test_setup(the_mapping_of_a_root_is_its_device,
				       begin),
	};

	if (!mkdtemp(top))
		return 1;
	snprintf(sys, sizeof(sys), "%s/class/block", top);
	return cmocka_run_group_tests(tests, NULL, remove_all);
}
