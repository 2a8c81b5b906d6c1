/* SPDX-License-Identifier: BSD-2-Clause */
/* The device mapper: tables as text.  The kernel is played. */
#include "port/linux/dm.h"
#include "port/linux/module.h"
#include "tests/unit.h"
#include "tests/world/module.h"
#include "tests/world/open.h"
#include "tests/world/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CAP 4096

#define NODE "/dev/mapper/control"

static struct play {
	unsigned long refuses; /* this request ... */
	int error;	       /* with this errno */
	const char *bad;       /* a type that is refused in a table */
	const char *table;     /* what TABLE_STATUS returns, one target */
	/* what was done */
	unsigned asked;
	unsigned long last;
	uint32_t flags;
	char name[DM_NAME_LEN];
	char loaded[1024]; /* the table that waits, as text */
} play;

static struct nbd_diag d;

/* The module brings the node. */
static void load(const char *name, const char *params)
{
	(void)params;
	assert_string_equal(name, "dm_mod");
	world_file_fails(NODE, 0);
}

/* As the kernel's populate_table(): each target begins where `next` says. */
static int take_table(struct dm_ioctl *io)
{
	struct nbd_out o = { .buf = play.loaded,
			     .cap = sizeof(play.loaded) - 1 };
	char *p = (char *)io + io->data_start,
	     *end = (char *)io + io->data_size;
	uint64_t at = 0;

	play.loaded[0] = '\0';
	assert_true(io->target_count > 0);
	for (uint32_t i = 0; i < io->target_count; i++) {
		struct dm_target_spec spec;
		const char *params = p + sizeof(spec);

		assert_int_equal((uintptr_t)p % 8, 0);
		assert_true((size_t)(end - p) > sizeof(spec));
		memcpy(&spec, p, sizeof(spec));
		assert_non_null(memchr(params, 0, (size_t)(end - params)));
		if (spec.sector_start != at ||
		    (play.bad && !strcmp(spec.target_type, play.bad))) {
			errno = EINVAL;
			return -1;
		}
		at += spec.length;
		nbd_putf(&o, "%llu %llu %s %s\n",
			 (unsigned long long)spec.sector_start,
			 (unsigned long long)spec.length, spec.target_type,
			 params);
		p += spec.next;
	}
	assert_ptr_equal(p, end);
	play.loaded[o.len] = '\0';
	return 0;
}

static void give_table(struct dm_ioctl *io)
{
	char *p = (char *)io + io->data_start;
	struct dm_target_spec spec = { .length = 8,
				       .next = 64,
				       .target_type = "linear" };

	io->target_count = 2;
	memcpy(p, &spec, sizeof(spec));
	strcpy(p + sizeof(spec), "43:0 0");
	spec.sector_start = 8;
	/* from the first one, as the kernel counts it */
	spec.next = 128;
	memcpy(p + 64, &spec, sizeof(spec));
	strcpy(p + 64 + sizeof(spec), play.table);
}

static void give_list(struct dm_ioctl *io)
{
	static const char *const names[] = { "luks", "nbdboot-a", "vg-lv",
					     "nbdboot-b" };
	char *p = (char *)io + io->data_start;

	for (unsigned i = 0; i < 4; i++) {
		struct dm_name_list entry = { .dev = 0xfd00 + i,
					      .next = i < 3 ? 48 : 0 };

		memcpy(p + 48 * i, &entry, sizeof(entry));
		strcpy(p + 48 * i + offsetof(struct dm_name_list, name),
		       names[i]);
	}
	io->data_size = io->data_start + 4 * 48;
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct dm_ioctl *io;
	va_list ap;

	va_start(ap, request);
	io = va_arg(ap, void *);
	va_end(ap);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	assert_int_equal(io->version[0], 4);
	assert_true(io->data_start >= sizeof(*io));
	assert_true(io->data_size <= CAP);
	play.asked++;
	play.last = request;
	if (request == DM_TABLE_CLEAR)
		play.loaded[0] = '\0';
	if (request == play.refuses) {
		errno = play.error;
		return -1;
	}
	play.flags = io->flags;
	memcpy(play.name, io->name, sizeof(play.name));
	/* 43:300 as huge_encode_dev() has it */
	io->dev = 253 << 8 | (300 & 0xff) | (300 & ~0xff) << 12;
	if (request == DM_TABLE_LOAD)
		return take_table(io);
	if (request == DM_TABLE_STATUS)
		give_table(io);
	if (request == DM_LIST_DEVICES)
		give_list(io);
	return 0;
}

static void begin(struct play p)
{
	play = p;
	world = (struct world){ .others = WORLD_ABSENT };
	world_link(NODE, "/dev/null");
	d.text[0] = '\0';
}

static struct dm start(struct play p)
{
	struct dm m;

	begin(p);
	assert_int_equal(dm_open(&m, CAP, &d), NBD_OK);
	return m;
}

static void a_missing_driver_is_reported(void **state)
{
	struct dm m;

	(void)state;
	begin((struct play){ 0 });
	world_file_fails(NODE, ENOENT);
	assert_int_equal(dm_open(&m, CAP, &d), NBD_E_KERNEL);
	assert_string_equal(d.text, "open /dev/mapper/control: No such file or "
				    "directory");
	world.no_module = NBD_E_NOT_FOUND;
	assert_int_equal(dm_open(&m, CAP, &d), NBD_E_NOT_FOUND);
	assert_string_equal(d.text, "no module dm_mod");
}

static void the_module_is_loaded_if_it_is_not_there(void **state)
{
	struct dm m;

	(void)state;
	begin((struct play){ 0 });
	world_file_fails(NODE, ENOENT);
	world.load = load;
	assert_int_equal(dm_open(&m, CAP, &d), NBD_OK);
	dm_close(&m);
	assert_int_equal(dm_open(&m, CAP, &d), NBD_OK);
	dm_close(&m);
	assert_int_equal(world.loads, 1);
}

static void a_device_has_its_number_of_any_size(void **state)
{
	struct dm m = start((struct play){ 0 });

	(void)state;
	assert_int_equal(dm_create(&m, "nbdboot-nbd0", &d), 300);
	assert_string_equal(play.name, "nbdboot-nbd0");
	assert_int_equal(play.last, DM_DEV_CREATE);
	assert_int_equal(dm_find(&m, "nbdboot-nbd0", &d), 300);
	assert_int_equal(play.last, DM_DEV_STATUS);
	dm_close(&m);
}

#define LINK   "/dev/mapper/nbdboot-nbd0\n"
#define LINKED "rm " LINK "ln -s ../dm-300 " LINK

static void a_device_has_a_link_as_long_as_it_is_there(void **state)
{
	struct dm m = start((struct play){ 0 });

	(void)state;
	assert_int_equal(dm_create(&m, "nbdboot-nbd0", &d), 300);
	assert_string_equal(world.story, LINKED);
	/* one that is old */
	assert_int_equal(dm_create(&m, "nbdboot-nbd0", &d), 300);
	play.refuses = DM_DEV_REMOVE;
	play.error = EBUSY;
	assert_int_equal(dm_remove(&m, "nbdboot-nbd0", &d), NBD_E_IN_USE);
	assert_string_equal(world.story, LINKED LINKED);
	play.refuses = 0;
	assert_int_equal(dm_remove(&m, "nbdboot-nbd0", &d), NBD_OK);
	assert_string_equal(world.story, LINKED LINKED "rm " LINK);
	play.refuses = DM_DEV_CREATE;
	assert_true(dm_create(&m, "nbdboot-nbd0", &d) < 0);
	assert_string_equal(world.story, LINKED LINKED "rm " LINK);
	dm_close(&m);
}

static void a_table_arrives_as_it_was_written(void **state)
{
	static const char table[] = "0 8 linear 43:0 0\n8 1 error \n"
				    "9 18446744073709551600 zero \n";
	struct dm m = start((struct play){ 0 });

	(void)state;
	assert_int_equal(dm_load(&m, "a", table, true, &d), NBD_OK);
	assert_string_equal(play.loaded, table);
	assert_int_equal(play.flags, DM_READONLY_FLAG);
	/* a last line without its newline, a type without parameters */
	assert_int_equal(dm_load(&m, "a", "0 8 error", false, &d), NBD_OK);
	assert_string_equal(play.loaded, "0 8 error \n");
	assert_int_equal(play.flags, 0);
	dm_close(&m);
}

static void a_line_that_is_none_is_named(void **state)
{
	static const char *const lines[] = {
		"0",
		"0 8",
		"0 8 ",
		"a 8 linear",
		"0  8 linear",
		"-1 8 zero",
		"0 99999999999999999999 zero",
		"0 8 a-type-that-is-too-long",
	};
	struct dm m = start((struct play){ 0 });
	char table[80], want[120];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(table, sizeof(table), "0 8 zero\n%s\n", lines[i]);
		snprintf(want, sizeof(want),
			 "the target %s: not START LENGTH TYPE", lines[i]);
		assert_int_equal(dm_load(&m, "a", table, false, &d),
				 NBD_E_USAGE);
		assert_string_equal(d.text, want);
	}
	assert_int_equal(play.asked, 0);
	dm_close(&m);
}

static void a_table_without_room_is_refused(void **state)
{
	struct dm m = start((struct play){ 0 });
	char table[CAP];
	size_t n = 0;

	(void)state;
	/* 48 bytes each */
	for (unsigned i = 0; i < CAP / 48; i++)
		n += (size_t)snprintf(table + n, sizeof(table) - n,
				      "%u 1 linear 1:2 0\n", i);
	assert_int_equal(dm_load(&m, "a", table, false, &d), NBD_E_NO_MEMORY);
	assert_non_null(strstr(d.text, "no room"));
	assert_int_equal(play.asked, 0);
	dm_close(&m);
}

static void the_target_that_the_kernel_refuses_is_named(void **state)
{
	struct dm m = start((struct play){ .bad = "mirror" });

	(void)state;
	assert_int_equal(dm_load(&m, "a",
				 "0 8 zero \n8 8 linear 7:0 0\n"
				 "16 8 mirror core 1\n24 1 zero \n",
				 false, &d),
			 NBD_E_KERNEL);
	assert_string_equal(d.text,
			    "target \"16 8 mirror core 1\": load a table into "
			    "the mapping a: Invalid argument");
	/* and the lines that were tried do not wait */
	assert_int_equal(play.last, DM_TABLE_CLEAR);
	assert_string_equal(play.loaded, "");
	dm_close(&m);
}

static void a_table_is_put_into_use_by_one_call(void **state)
{
	struct dm m = start((struct play){ 0 });

	(void)state;
	assert_int_equal(dm_resume(&m, "a", &d), NBD_OK);
	assert_int_equal(play.last, DM_DEV_SUSPEND);
	assert_int_equal(play.flags, DM_NOFLUSH_FLAG | DM_SKIP_LOCKFS_FLAG);
	assert_int_equal(play.asked, 1);
	/* nothing that is dirty is written: the server may be away */
	assert_int_equal(dm_hold(&m, "a", &d), NBD_OK);
	assert_int_equal(play.flags, DM_SUSPEND_FLAG | DM_NOFLUSH_FLAG |
					     DM_SKIP_LOCKFS_FLAG);
	dm_close(&m);
}

static void the_table_in_use_is_text(void **state)
{
	struct dm m = start((struct play){ .table = "7:0 16" });
	char text[128];

	(void)state;
	assert_int_equal(dm_text(&m, "a", false, text, sizeof(text), &d), 36);
	assert_string_equal(text, "0 8 linear 43:0 0\n8 8 linear 7:0 16\n");
	assert_int_equal(play.flags, DM_STATUS_TABLE_FLAG);
	assert_true(dm_text(&m, "a", true, text, sizeof(text), &d) > 0);
	assert_int_equal(play.flags, 0);
	for (size_t cap = 2; cap < 37; cap++)
		assert_int_equal(dm_text(&m, "a", false, text, cap, &d),
				 NBD_E_NO_MEMORY);
	dm_close(&m);
}

static void failures_say_what_and_why(void **state)
{
	static const struct {
		int error, want;
	} cases[] = { { ENXIO, NBD_E_NOT_FOUND },   { EBUSY, NBD_E_IN_USE },
		      { EINTR, NBD_E_INTERRUPTED }, { EACCES, NBD_E_PERM },
		      { ENOMEM, NBD_E_NO_MEMORY },  { EIO, NBD_E_KERNEL } };
	struct dm m = start((struct play){ .refuses = DM_DEV_REMOVE });
	char want[120];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		play.error = cases[i].error;
		assert_int_equal(dm_remove(&m, "a", &d), cases[i].want);
		snprintf(want, sizeof(want), "remove the mapping a: %s",
			 strerror(cases[i].error));
		assert_string_equal(d.text, want);
	}
	dm_close(&m);
}

static void devices_are_listed_by_their_prefix(void **state)
{
	struct dm m = start((struct play){ 0 });
	char name[DM_NAME];

	(void)state;
	assert_int_equal(dm_nth(&m, "nbdboot-", 0, name, &d), NBD_OK);
	assert_string_equal(name, "nbdboot-a");
	assert_int_equal(dm_nth(&m, "nbdboot-", 1, name, &d), NBD_OK);
	assert_string_equal(name, "nbdboot-b");
	assert_int_equal(dm_nth(&m, "nbdboot-", 2, name, &d), NBD_E_NOT_FOUND);
	dm_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_driver_is_reported),
		cmocka_unit_test(the_module_is_loaded_if_it_is_not_there),
		cmocka_unit_test(a_device_has_its_number_of_any_size),
		cmocka_unit_test(a_device_has_a_link_as_long_as_it_is_there),
		cmocka_unit_test(a_table_arrives_as_it_was_written),
		cmocka_unit_test(a_line_that_is_none_is_named),
		cmocka_unit_test(a_table_without_room_is_refused),
		cmocka_unit_test(the_target_that_the_kernel_refuses_is_named),
		cmocka_unit_test(a_table_is_put_into_use_by_one_call),
		cmocka_unit_test(the_table_in_use_is_text),
		cmocka_unit_test(failures_say_what_and_why),
		cmocka_unit_test(devices_are_listed_by_their_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
