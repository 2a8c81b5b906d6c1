/* SPDX-License-Identifier: BSD-2-Clause */
/* A root that moves.  The device mapper is played, and the disk is a file. */
#include "boot/clone/clone.h"
#include "boot/mapper/mapper.h"
#include "port/linux/nbdk.h"
#include "tests/boot/init/image.h"
#include "tests/unit.h"
#include "tests/world/clock.h"
#include "tests/world/dm.h"
#include "tests/world/module.h"
#include "tests/world/open.h"
#include "tests/world/path.h"
#include "tests/world/say.h"

#include <errno.h>

#define SECTORS 8192u /* 4 MiB */
#define SIZE	(8 * MIB)
/* The first bytes of the root. */
#define ROOT	"the root"
#define AHEAD	"/sys/block/dm-7/queue/read_ahead_kb"

static struct play {
	int disk;	  /* an open file */
	const char *spec; /* NULL: "/dev/vda" */
	const char *old;  /* the first bytes of the disk; NULL: it is blank */
	off_t marked;	  /* it was complete when it had so many bytes */
	unsigned syncs;	  /* so many succeed, and the next one fails; 0: all */
	unsigned stops; /* so many looks until a signal comes; 0: none comes */
	int lock, resume;  /* results */
	bool moved;	   /* the disk is the root */
	const char *table; /* in use */
} play;

static struct nbd_diag d;

int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	assert_int_equal(fd, play.disk);
	if (!play.syncs || --play.syncs)
		return 0;
	errno = EIO;
	return -1;
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	(void)request;
	assert_int_equal(fd, play.disk);
	return 0;
}

int __wrap_clone_disk_open(struct clone_disk *disk, int flags,
			   struct nbd_diag *dg);
int __wrap_clone_disk_open(struct clone_disk *disk, int flags,
			   struct nbd_diag *dg)
{
	(void)flags, (void)dg;
	disk->fd = play.disk;
	disk->size = (uint64_t)SIZE;
	strcpy(disk->number, "254:0");
	strcpy(disk->name, "vda");
	return NBD_OK;
}

void __wrap_clone_disk_close(struct clone_disk *disk);
void __wrap_clone_disk_close(struct clone_disk *disk)
{
	disk->fd = -1;
}

int __wrap_clone_disk_check(const struct clone_disk *disk, const char *mapping,
			    struct nbd_diag *dg);
int __wrap_clone_disk_check(const struct clone_disk *disk, const char *mapping,
			    struct nbd_diag *dg)
{
	(void)disk, (void)dg;
	assert_string_equal(mapping, "dm-7");
	return NBD_OK;
}

void __wrap_clone_name_of(const char *number, char name[CLONE_PATH]);
void __wrap_clone_name_of(const char *number, char name[CLONE_PATH])
{
	strcpy(name, strcmp(number, "254:0") ? "nbd0" : "vda");
}

int __wrap_dm_text(struct dm *dm, const char *name, bool status, char *text,
		   size_t cap, struct nbd_diag *dg);
int __wrap_dm_text(struct dm *dm, const char *name, bool status, char *text,
		   size_t cap, struct nbd_diag *dg)
{
	(void)dm, (void)status;
	assert_string_equal(name, "nbdboot-nbd0");
	return strlen(play.table) < cap
		       ? nbd_fmt(text, cap, "%s", play.table)
		       : nbd_diag(dg, NBD_E_NO_MEMORY, "too long");
}

/* A mirror of RAM and nbd0 */
bool __wrap_mapper_stands_on(const char *sys, const char *name,
			     const char *disk);
bool __wrap_mapper_stands_on(const char *sys, const char *name,
			     const char *disk)
{
	assert_string_equal(sys, "/sys/class/block");
	assert_null(disk);
	return !strcmp(name, "dm-1");
}

int __wrap_clone_check_alone(const char *name, struct nbd_diag *dg);
int __wrap_clone_check_alone(const char *name, struct nbd_diag *dg)
{
	(void)name, (void)dg;
	return NBD_OK;
}

int __wrap_nbdk_release(int index, unsigned ms, struct nbd_diag *dg);
int __wrap_nbdk_release(int index, unsigned ms, struct nbd_diag *dg)
{
	(void)index, (void)ms, (void)dg;
	return NBD_OK;
}

int __wrap_mapper_lock(int run, int index, bool wait, struct nbd_diag *dg);
int __wrap_mapper_lock(int run, int index, bool wait, struct nbd_diag *dg)
{
	(void)run, (void)index;
	if (play.lock && wait)
		fail_msg("no signal ends this");
	return play.lock ? nbd_diag(dg, play.lock, "locked") : NBD_OK;
}

int __wrap_mapper_below(int index, char path[MAPPER_PATH],
			char below[MAPPER_PATH], uint64_t *sectors,
			struct nbd_diag *dg);
int __wrap_mapper_below(int index, char path[MAPPER_PATH],
			char below[MAPPER_PATH], uint64_t *sectors,
			struct nbd_diag *dg)
{
	(void)index, (void)dg;
	strcpy(path, "/dev/dm-7");
	strcpy(below, "43:0");
	*sectors = SECTORS;
	return NBD_OK;
}

int __wrap_mapper_mirror(struct dm *dm, int index, struct mapper_mirror *state,
			 struct nbd_diag *dg);
int __wrap_mapper_mirror(struct dm *dm, int index, struct mapper_mirror *state,
			 struct nbd_diag *dg)
{
	(void)dm, (void)index, (void)dg;
	*state = (struct mapper_mirror){ 1, 1, true, true };
	return NBD_OK;
}

/* Of which tests/boot/mapper has the real one. */
int __wrap_mapper_move(struct dm *dm, int index, const char *table,
		       bool read_only, const struct mapper_mover *mover,
		       struct nbd_diag *dg);
int __wrap_mapper_move(struct dm *dm, int index, const char *table,
		       bool read_only, const struct mapper_mover *mover,
		       struct nbd_diag *dg)
{
	int rc = mover->ready(mover->ctx, dg);

	(void)dm, (void)index, (void)read_only;
	assert_string_equal(table, "0 8192 linear 254:0 0\n");
	if (!rc && play.resume) {
		rc = nbd_diag(dg, play.resume, "refused");
		mover->undo(mover->ctx);
	}
	play.moved = !rc;
	return rc;
}

static int find(char path[CLONE_PATH], const char *device, struct nbd_diag *dg)
{
	(void)dg;
	nbd_fmt(path, CLONE_PATH, "%s", device);
	return NBD_OK;
}

static bool look(int fd, const char *name, uint64_t size, char text[CLONE_HOLD])
{
	(void)fd, (void)size;
	/* which has the partitions; a link to it has none */
	assert_string_equal(name, "vda");
	strcpy(text, "ext4");
	return play.old;
}

static bool is_blank(int fd, uint64_t from, uint64_t to)
{
	(void)fd;
	assert_int_equal(from, 0);
	assert_int_equal(to, CLONE_TAIL);
	return !play.old;
}

static bool is_begun(int fd, int source)
{
	(void)fd, (void)source;
	return !play.old || !strcmp(play.old, ROOT);
}

static bool is_stopped(unsigned ms)
{
	world.now += ms;
	return play.stops && !--play.stops;
}

static void mark(off_t size)
{
	const struct clone_mark m = { .state = CLONE_COMPLETE,
				      .device = (uint64_t)size / 512,
				      .sectors = SECTORS,
				      .image = "w-0123456789abcdef" };
	char text[CLONE_MARK];

	clone_mark_print(&m, text);
	put(play.disk, (off_t)clone_mark_at((uint64_t)size), text,
	    sizeof(text));
}

static int run(struct play p)
{
	static const struct clone_eyes eyes = { .find = find,
						.look = look,
						.is_blank = is_blank,
						.is_begun = is_begun };
	struct clone c = { .image = "w-0123456789abcdef",
			   .eyes = &eyes,
			   .is_stopped = is_stopped };
	int rc;

	if (play.disk)
		close(play.disk);
	play = p;
	play.disk = image(SIZE);
	if (p.old)
		put(play.disk, 0, p.old, strlen(p.old));
	if (p.marked)
		mark(p.marked);
	world = (struct world){ .others = WORLD_ABSENT, .dm_found = 7 };
	world_file("/sys/module/dm_mirror", "");
	world_file("/dev/dm-7", ROOT);
	world_file(AHEAD, "1024\n");
	assert_int_equal(clone_spec_parse(&c.spec, p.spec ? p.spec : "/dev/vda",
					  &d),
			 NBD_OK);
	rc = clone_run(&c, &d);
	assert_int_equal(play.moved, !rc);
	return rc;
}

static enum clone_state state_of_disk(void)
{
	struct clone_mark m;

	assert_int_equal(clone_mark_read(&m, play.disk, (uint64_t)SIZE, &d),
			 NBD_OK);
	return m.state;
}

static void a_disk_that_is_the_root_is_marked(void **state)
{
	(void)state;
	assert_int_equal(run((struct play){ 0 }), NBD_OK);
	assert_int_equal(state_of_disk(), CLONE_COMPLETE);
	assert_string_equal(world.table, "0 8192 mirror core 1 8192 2 43:0 0 "
					 "254:0 0 1 handle_errors\n");
	/* the table is not swapped */
	assert_int_equal(run((struct play){ .resume = NBD_E_KERNEL }),
			 NBD_E_KERNEL);
	assert_int_equal(state_of_disk(), CLONE_COPYING);
	assert_string_equal(world.table, "0 8192 linear 43:0 0\n");
}

static unsigned times_ahead_is_written(void)
{
	const char *p = world.written;
	unsigned n = 0;

	for (; (p = strstr(p, AHEAD " = 1024\n")); p++)
		n++;
	return n;
}

/* Each table has the kernel's; that of a disk of the machine is right. */
static void a_root_on_the_server_keeps_its_read_ahead(void **state)
{
	(void)state;
	assert_int_equal(run((struct play){ 0 }), NBD_OK);
	assert_int_equal(times_ahead_is_written(), 1);
	assert_int_equal(run((struct play){ .resume = NBD_E_KERNEL }),
			 NBD_E_KERNEL);
	assert_int_equal(times_ahead_is_written(), 2);
}

/* The server is the root then, and the disk may have got the mark anyway. */
static void a_mark_that_may_be_there_is_taken_back(void **state)
{
	(void)state;
	/* 2 flushes for the first mark, one before the last, and one behind it */
	assert_int_equal(run((struct play){ .syncs = 4 }), NBD_E_IO);
	assert_int_equal(state_of_disk(), CLONE_COPYING);
	assert_string_equal(world.table, "0 8192 linear 43:0 0\n");
}

static void the_wait_for_another_process_ends(void **state)
{
	(void)state;
	assert_int_equal(run((struct play){ .lock = NBD_E_AGAIN, .stops = 3 }),
			 NBD_E_INTERRUPTED);
	assert_int_equal(world.now, 750);
	assert_string_equal(world.said,
			    "clone: waiting for another clone or cache\n");
	assert_int_equal(run((struct play){ .lock = NBD_E_IO }), NBD_E_IO);
}

static bool is_kept(struct play p)
{
	char text[sizeof(ROOT)] = "";
	int rc = run(p);

	assert_int_equal(pread(play.disk, text, strlen(ROOT), 0),
			 (ssize_t)strlen(ROOT));
	/* nothing is copied here */
	assert_int_equal(rc == NBD_E_IN_USE, !strcmp(text, p.old));
	return rc == NBD_E_IN_USE;
}

static void a_clone_is_kept_on_a_disk_of_another_size(void **state)
{
	static const off_t sizes[] = { SIZE, SIZE - MIB, SIZE + MIB };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		assert_true(is_kept((struct play){
			.spec = "/dev/vda", .old = ROOT, .marked = sizes[i] }));
		assert_true(is_kept((struct play){ .spec = "/dev/vda,erase",
						   .old = ROOT,
						   .marked = sizes[i] }));
	}
	assert_false(is_kept((struct play){ .spec = "/dev/vda,erase,again",
					    .old = ROOT,
					    .marked = SIZE - MIB }));
	assert_false(is_kept((struct play){ .spec = "/dev/vda,erase",
					    .old = "other fs",
					    .marked = SIZE - MIB }));
	assert_true(is_kept(
		(struct play){ .spec = "/dev/vda", .old = "other fs" }));
	assert_true(is_kept((struct play){ .spec = "/dev/disk/by-id/virtio-1",
					   .old = "other fs" }));
}

/* With the image that replaces it, or blank: a copy that is cut short goes on. */
static void nothing_of_a_clone_is_left_below_its_copy(void **state)
{
	char text[sizeof(ROOT)] = "";

	(void)state;
	assert_false(is_kept((struct play){
		.spec = "/dev/vda,again", .old = "other fs", .marked = SIZE }));
	/* a mark that cannot be written may still say that it is complete */
	assert_int_equal(run((struct play){ .spec = "/dev/vda,again",
					    .old = ROOT,
					    .marked = SIZE,
					    .syncs = 2 }),
			 NBD_E_IO);
	assert_int_equal(pread(play.disk, text, strlen(ROOT), 0),
			 (ssize_t)strlen(ROOT));
	assert_string_equal(text, ROOT);
}

/* Otherwise each boot would look for the file system that was there. */
static void a_uuid_that_the_copy_overwrites_names_no_device(void **state)
{
	char text[sizeof(ROOT)] = "";

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(run((struct play){ .spec = "UUID=1-2,erase,"
							    "again",
						    .old = "other fs",
						    .marked = i * SIZE }),
				 NBD_E_USAGE);
		assert_non_null(strstr(d.text, "UUID=1-2 is that of what"));
		assert_int_equal(pread(play.disk, text, strlen(ROOT), 0),
				 (ssize_t)strlen(ROOT));
		assert_string_equal(text, "other fs");
	}
	/* that of the root stays */
	assert_int_equal(run((struct play){ .spec = "UUID=1-2,erase,again",
					    .old = ROOT,
					    .marked = SIZE }),
			 NBD_OK);
	assert_int_equal(run((struct play){ .spec = "PARTUUID=1-2,erase",
					    .old = "other fs" }),
			 NBD_OK);
}

static int progress(struct clone_progress *p, const char *table)
{
	play.table = table;
	return clone_progress(p, 0, &d);
}

static void only_a_disk_of_the_machine_is_a_copy(void **state)
{
	struct clone_progress p;

	(void)state;
	world = (struct world){ .others = WORLD_ABSENT };
	world_link("/sys/dev/block/43:0", "../x/block/nbd0");
	world_link("/sys/dev/block/254:0", "../x/block/vda");
	world_link("/sys/dev/block/253:1", "../x/block/dm-1");
	assert_int_equal(progress(&p, "0 64 linear 254:0 0\n"), NBD_OK);
	assert_string_equal(p.name, "vda");
	assert_int_equal(clone_percent(&p), 100);
	assert_int_equal(progress(&p, "0 64 mirror core 1 64 2 43:0 0 254:0 0 "
				      "1 handle_errors\n"),
			 NBD_OK);
	assert_string_equal(p.name, "vda");
	assert_int_equal(clone_percent(&p), 50);
	assert_int_equal(progress(&p, "0 64 linear 43:0 0\n"), NBD_E_NOT_FOUND);
	/* what nbdboot.prefetch has in RAM: all, a piece, and many of them */
	assert_int_equal(progress(&p, "0 64 linear 253:1 0\n"),
			 NBD_E_NOT_FOUND);
	assert_int_equal(progress(&p, "0 8 linear 254:0 0\n"
				      "8 56 linear 43:0 8\n"),
			 NBD_E_NOT_FOUND);
#define FIVE                                                           \
	"0 8 linear 253:1 0\n8 8 linear 43:0 8\n16 8 linear 253:1 8\n" \
	"24 8 linear 43:0 24\n32 8 linear 253:1 16\n"
	assert_int_equal(progress(&p, FIVE FIVE), NBD_E_NOT_FOUND);
	assert_string_equal(d.text, "nothing of nbd0 is copied");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk_that_is_the_root_is_marked),
		cmocka_unit_test(a_root_on_the_server_keeps_its_read_ahead),
		cmocka_unit_test(a_mark_that_may_be_there_is_taken_back),
		cmocka_unit_test(the_wait_for_another_process_ends),
		cmocka_unit_test(a_clone_is_kept_on_a_disk_of_another_size),
		cmocka_unit_test(nothing_of_a_clone_is_left_below_its_copy),
		cmocka_unit_test(
			a_uuid_that_the_copy_overwrites_names_no_device),
		cmocka_unit_test(only_a_disk_of_the_machine_is_a_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
