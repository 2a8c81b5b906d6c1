/* SPDX-License-Identifier: BSD-2-Clause */
/* The disk that firmware sees of an export, which is played. */
#include "tests/unit.h"

#include "port/stack.h"

/* Without the network, whose headers are lwIP's. */
#define BOOT_UEFI_NIC_H
struct uefi_net {
	struct nbd_stack *stack;
	const struct efi_path *path;
	bool polled;
	void (*idle)(void *ctx);
	void *ctx;
};
#include "boot/uefi/drive.c"
#include "tests/boot/uefi/printed.h"

#define MIB (1ull << 20)

struct efi_world efi;

static struct nbd_export export;
static struct uefi_program program;
static struct uefi_drive *drive = &program.drive;
static unsigned reads;
static int blocks; /* of memory in use */
static struct nbd_diag d;

/* ---- the session ---- */

int uefi_session_open(struct uefi_session *s, struct nbd_diag *diag)
{
	(void)diag;
	/* requests are of whole sectors, also for the next server */
	assert_int_equal(s->block, 512);
	s->disk.export = export;
	return 0;
}

/* As the engine does, it refuses what is no whole block. */
int uefi_session_run(struct uefi_session *s, unsigned type, uint64_t offset,
		     void *buf, size_t len)
{
	(void)s, (void)type;
	reads++;
	if ((offset | len) & (export.min_block - 1) ||
	    offset + len > export.size)
		return NBD_E_ALIGN;
	memset(buf, (int)(offset >> 16), len);
	return 0;
}

void uefi_session_close(struct uefi_session *s)
{
	(void)s;
}

void uefi_session_idle(struct uefi_session *s)
{
	(void)s;
}

const char *uefi_session_name(const struct uefi_session *s, char *buf,
			      size_t cap)
{
	(void)s, (void)cap;
	return strcpy(buf, "nbd://h/x");
}

/* ---- the firmware ---- */

void *efi_pages(size_t size)
{
	static unsigned char mem[UEFI_CACHE_SLOTS * UEFI_CACHE_SLOT];

	assert_int_equal(size, sizeof(mem));
	blocks++;
	return mem;
}

void efi_free_pages(void *p, size_t bytes)
{
	(void)bytes;
	blocks -= !!p;
}

int efi_disk_add(struct efi_disk *k, const struct efi_path *nic,
		 const char *uri, struct nbd_diag *diag)
{
	(void)k, (void)nic, (void)uri, (void)diag;
	return 0;
}

void efi_disk_remove(struct efi_disk *k)
{
	(void)k;
}

/* ---- tests ---- */

static int begin(void **state)
{
	(void)state;
	memset(&program, 0, sizeof(program));
	export = (struct nbd_export){ .size = MIB + 22,
				      .has_block = true,
				      .min_block = 512,
				      .pref_block = 4096,
				      .max_payload = 65536 };
	printed[0] = '\0';
	blocks = 0;
	return 0;
}

static void the_last_block_of_a_disk_of_odd_size_is_read(void **state)
{
	static unsigned char buf[512];

	(void)state;
	export.size += 512;
	assert_int_equal(uefi_drive_open(drive, &program, &d), 0);
	assert_int_equal(drive->disk.size, MIB + 512);
	assert_int_equal(drive->disk.run(&drive->disk, NBD_CMD_READ, MIB, buf,
					 sizeof(buf)),
			 EFI_SUCCESS);
	assert_int_equal(buf[0], MIB >> 16);
	assert_int_equal(buf[511], MIB >> 16);
	assert_non_null(strstr(printed, "1049110 bytes, and the last 22"));
}

static void a_disk_of_whole_blocks_makes_no_warning(void **state)
{
	(void)state;
	export.size = MIB;
	assert_int_equal(uefi_drive_open(drive, &program, &d), 0);
	assert_int_equal(drive->disk.size, MIB);
	assert_string_equal(printed, "");
}

static void less_than_a_block_is_no_disk(void **state)
{
	(void)state;
	export.size = 4095;
	export.min_block = 4096;
	assert_int_equal(uefi_drive_open(drive, &program, &d), NBD_E_SIZE);
	assert_non_null(strstr(d.text, "4095 bytes, less than a block of "
				       "4096"));
}

/* Firmware may start the program again and again until a server is there. */
static void the_memory_of_the_cache_is_given_back(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(uefi_drive_open(drive, &program, &d), 0);
		assert_int_equal(blocks, 1);
		uefi_drive_close(drive);
		assert_int_equal(blocks, 0);
	}
	/* of an interface without a server */
	uefi_drive_close(drive);
	assert_int_equal(blocks, 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, begin)
	static const struct CMUnitTest tests[] = {
		T(the_last_block_of_a_disk_of_odd_size_is_read),
		T(a_disk_of_whole_blocks_makes_no_warning),
		T(less_than_a_block_is_no_disk),
		T(the_memory_of_the_cache_is_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
