/* SPDX-License-Identifier: BSD-2-Clause */
/* Archives for the kernel, with servers that lie about their sizes. */
#include "tests/guard.h"
#include "tests/unit.h"

#include "boot/uefi/initrd.c"
#include "tests/boot/uefi/firmware.h"

#define HUGE_SIZE ((uint64_t)INT64_MAX)

/* The sizes of the files, and of the largest free piece of memory. */
static uint64_t sizes[CONF_INITRDS], memory;
static int opened, installed;
static unsigned fails; /* the read of this file, from 1; 0: none */
/* how many were read before the kernel starts, and which is another one */
static unsigned kept, wrong;

const struct efi_guid efi_guid_initrd, efi_guid_path, efi_guid_load_file2;

int uefi_input_open(struct uefi_input *f, struct uefi_program *p,
		    const char *name, const char *hash, struct nbd_diag *d)
{
	(void)p, (void)d;
	f->name = name;
	f->hash = hash;
	f->size = sizes[opened++];
	return NBD_OK;
}

int uefi_input_read(struct uefi_input *f, void *buf, struct nbd_diag *d)
{
	if (fails && !--fails)
		return nbd_diag(d, NBD_E_IO, "the server is gone");
	memset(buf, f->name[0], (size_t)f->size);
	return NBD_OK;
}

int uefi_input_keep(struct uefi_input *f, struct nbd_diag *d)
{
	(void)f;
	return ++kept == wrong ? nbd_diag(d, NBD_E_PERM, "another one")
			       : NBD_OK;
}

void uefi_input_close(struct uefi_input *f)
{
	(void)f;
	opened--;
}

void *efi_pages(size_t bytes)
{
	static char piece;

	return bytes && bytes <= memory ? &piece : NULL;
}

static efi_status put(efi_handle *h, const struct efi_guid *g, unsigned kind,
		      void *protocol)
{
	(void)g, (void)kind;
	*h = protocol;
	installed++;
	return EFI_SUCCESS;
}

static efi_status take(efi_handle h, const struct efi_guid *g, void *protocol)
{
	(void)h, (void)g, (void)protocol;
	installed--;
	return EFI_SUCCESS;
}

static struct efi_boot services = { .install = put, .uninstall = take };
struct efi_world efi = { .bs = &services };

static struct uefi_initrds r;
static struct nbd_diag d;

/* Offers n files, whose names are "a", "b" ... */
static int add_checked(unsigned n, const char *hash)
{
	static struct boot_conf c;

	for (c.initrds = 0; c.initrds < n; c.initrds++) {
		c.initrd[c.initrds] = &"a\0b\0c\0d"[2 * c.initrds];
		c.initrd_hash[c.initrds] = hash;
	}
	return uefi_initrd_add(&r, &c, NULL, &d);
}

static int add(unsigned n)
{
	return add_checked(n, NULL);
}

static int setup(void **state)
{
	(void)state;
	memset(sizes, 0, sizeof(sizes));
	memory = 1 << 20;
	fails = kept = wrong = 0;
	return 0;
}

static int all_is_given_back(void **state)
{
	(void)state;
	uefi_initrd_remove(&r);
	assert_int_equal(opened, 0);
	assert_int_equal(installed, 0);
	return 0;
}

/* The kernel's EFI stub asks for the size, and then for the bytes. */
static void archives_are_padded_and_joined(void **state)
{
	struct guard g = guard_new(12);
	char *p = guard_end(&g, 12);
	size_t len = 0;

	(void)state;
	sizes[0] = 5;
	sizes[1] = 4;
	assert_int_equal(add(2), 0);
	assert_int_equal(installed, 2);
	assert_int_equal(r.load.load(&r.load, NULL, false, &len, NULL),
			 EFI_BUFFER_TOO_SMALL);
	assert_int_equal(len, 12);
	assert_int_equal(r.load.load(&r.load, NULL, false, &len, p), 0);
	assert_memory_equal(p, "aaaaa\0\0\0bbbb", 12);
	guard_free(&g);
}

static void a_failed_read_writes_nothing_more(void **state)
{
	char buf[8];
	size_t len = sizeof(buf);

	(void)state;
	sizes[0] = 5;
	memset(buf, 'x', sizeof(buf));
	fails = 1;
	assert_int_equal(add(1), 0);
	assert_int_equal(r.load.load(&r.load, NULL, false, &len, buf),
			 EFI_DEVICE_ERROR);
	assert_memory_equal(buf, "xxxxxxxx", 8);
}

/* Two of 2^63 - 1 bytes and one of a page: padded, their sum would be 4096. */
static void a_sum_that_would_wrap_is_too_large(void **state)
{
	(void)state;
	sizes[0] = sizes[1] = HUGE_SIZE;
	sizes[2] = 4096;
	assert_int_equal(add(3), NBD_E_NO_MEMORY);
	assert_int_equal(installed, 0);
	all_is_given_back(state);
	sizes[0] = 4096;
	sizes[1] = UINT64_MAX;
	assert_int_equal(add(2), NBD_E_NO_MEMORY);
	all_is_given_back(state);
	sizes[1] = HUGE_SIZE - 8;
	assert_int_equal(add(2), NBD_E_NO_MEMORY);
	assert_string_equal(d.text, "initrd b: too large for the memory");
}

static void what_no_memory_holds_is_not_offered(void **state)
{
	(void)state;
	sizes[0] = sizes[1] = memory / 2;
	assert_int_equal(add(2), 0);
	all_is_given_back(state);
	sizes[1]++;
	assert_int_equal(add(2), NBD_E_NO_MEMORY);
	assert_int_equal(installed, 0);
}

static void one_that_is_not_of_its_hash_is_not_offered(void **state)
{
	(void)state;
	sizes[0] = sizes[1] = 4;
	assert_int_equal(add(2), 0);
	assert_int_equal(kept, 0);
	all_is_given_back(state);
	assert_int_equal(add_checked(2, "abcd"), 0);
	assert_int_equal(kept, 2);
	all_is_given_back(state);
	wrong = 4;
	assert_int_equal(add_checked(2, "abcd"), NBD_E_PERM);
	assert_int_equal(installed, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(archives_are_padded_and_joined,
						setup, all_is_given_back),
		cmocka_unit_test_setup_teardown(
			one_that_is_not_of_its_hash_is_not_offered, setup,
			all_is_given_back),
		cmocka_unit_test_setup_teardown(
			a_failed_read_writes_nothing_more, setup,
			all_is_given_back),
		cmocka_unit_test_setup_teardown(
			a_sum_that_would_wrap_is_too_large, setup,
			all_is_given_back),
		cmocka_unit_test_setup_teardown(
			what_no_memory_holds_is_not_offered, setup,
			all_is_given_back),
	};

	return cmocka_run_group_tests_name("uefi initrd", tests, NULL, NULL);
}
