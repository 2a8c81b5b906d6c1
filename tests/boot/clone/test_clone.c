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
#include "tests/world/path.h"
#include "tests/world/say.h"

#include <errno.h>

#define SECTORS 8192u /* 4 MiB */
#define SIZE	(8 * MIB)

static struct play {
	int disk;	/* an open file */
	unsigned syncs; /* so many succeed, and the next one fails; 0: all */
	unsigned stops; /* so many looks until a signal comes; 0: none comes */
	int lock, resume; /* results */
	bool moved;	  /* the disk is the root */
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
	assert_string_equal(number, "43:0");
	strcpy(name, "nbd0");
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
	(void)fd, (void)name, (void)size, (void)text;
	return false;
}

static bool is_stopped(unsigned ms)
{
	world.now += ms;
	return play.stops && !--play.stops;
}

static int run(struct play p)
{
	static const struct clone_eyes eyes = { .find = find, .look = look };
	struct clone c = { .image = "w-0123456789abcdef",
			   .eyes = &eyes,
			   .is_stopped = is_stopped };
	int rc;

	if (play.disk)
		close(play.disk);
	play = p;
	play.disk = image(SIZE);
	world = (struct world){ .others = WORLD_ABSENT };
	world_file("/sys/module/dm_mirror", "");
	assert_int_equal(clone_spec_parse(&c.spec, "/dev/vda", &d), NBD_OK);
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
	assert_int_equal(run((struct play){ .lock = NBD_E_IO }), NBD_E_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk_that_is_the_root_is_marked),
		cmocka_unit_test(a_mark_that_may_be_there_is_taken_back),
		cmocka_unit_test(the_wait_for_another_process_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
