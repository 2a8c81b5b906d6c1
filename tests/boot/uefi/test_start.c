/* SPDX-License-Identifier: BSD-2-Clause */
/* What is started finds the variable, and nobody else does. */
#include "tests/unit.h"

#include "boot/uefi/handover.c"
#include "boot/uefi/signed.c"
#include "boot/uefi/start.c"
#include "tests/boot/uefi/firmware.h"

const struct efi_guid efi_guid_nbdboot, efi_guid_global, efi_guid_exit,
	efi_guid_pre_exit, efi_guid_loaded_image;

/* The firmware: its variable, and what its steps return. */
static struct {
	char text[2048];
	size_t len; /* 0: there is none */
	uint32_t attributes;
	efi_status load, start;
	int entry; /* BootCurrent; -1: none */
	bool loaded_with, started_with;
	uint8_t secure; /* SecureBoot */
} fw;
/* A kernel, as it was loaded. */
static uint8_t kernel_image[0x300];
static struct efi_loaded_image loaded;

/* As UEFI 2.10 has it, 8.2: other attributes are refused. */
static efi_status set_variable_of(const efi_char *name,
				  const struct efi_guid *vendor,
				  uint32_t attributes, size_t len,
				  const void *data)
{
	(void)name, (void)vendor;
	if (attributes && fw.len && attributes != fw.attributes)
		return EFI_INVALID_PARAMETER;
	memcpy(fw.text, data ? data : "", len);
	fw.text[len] = '\0';
	fw.len = attributes ? len : 0;
	fw.attributes = attributes;
	return EFI_SUCCESS;
}

static efi_status get_variable_of(const efi_char *name,
				  const struct efi_guid *vendor,
				  uint32_t *attributes, size_t *len, void *data)
{
	(void)name, (void)vendor, (void)attributes;
	if (*len == 1) {
		*(uint8_t *)data = fw.secure;
		return EFI_SUCCESS;
	}
	assert_int_equal(*len, 2);
	if (fw.entry < 0)
		return EFI_NOT_FOUND;
	memcpy(data, &(uint16_t){ (uint16_t)fw.entry }, 2);
	return EFI_SUCCESS;
}

static efi_status load_it(efi_bool by_boot_policy, efi_handle parent,
			  struct efi_path *path, void *from, size_t len,
			  efi_handle *h)
{
	(void)by_boot_policy, (void)parent, (void)path, (void)from, (void)len;
	fw.loaded_with = fw.len;
	*h = &fw;
	return fw.load;
}

static efi_status start_it(efi_handle h, size_t *len, efi_char **data)
{
	(void)h, (void)len, (void)data;
	fw.started_with = fw.len;
	return fw.start;
}

static efi_status unload_it(efi_handle h)
{
	(void)h;
	return EFI_SUCCESS;
}

static efi_status event(uint32_t type, uint64_t tpl, efi_notify *fn,
			const void *ctx, const struct efi_guid *group,
			efi_event *e)
{
	(void)type, (void)tpl, (void)fn, (void)ctx, (void)group, (void)e;
	return EFI_SUCCESS;
}

static struct efi_boot services = { .load_image = load_it,
				    .start_image = start_it,
				    .unload_image = unload_it,
				    .create_event_ex = event };
static struct efi_runtime runtime = { .set_variable = set_variable_of,
				      .get_variable = get_variable_of };
struct efi_world efi = { .bs = &services, .rt = &runtime };

int uefi_input_open(struct uefi_input *f, struct uefi_program *p,
		    const char *name, const char *hash, struct nbd_diag *d)
{
	(void)p, (void)d;
	f->name = name;
	f->hash = hash;
	f->size = 512;
	return NBD_OK;
}

int uefi_input_read(struct uefi_input *f, void *buf, struct nbd_diag *d)
{
	(void)f, (void)buf, (void)d;
	return NBD_OK;
}

void uefi_input_close(struct uefi_input *f)
{
	(void)f;
}

int uefi_initrd_add(struct uefi_initrds *r, const struct boot_conf *c,
		    struct uefi_program *p, struct nbd_diag *d)
{
	(void)r, (void)c, (void)p, (void)d;
	return NBD_OK;
}

void uefi_initrd_remove(struct uefi_initrds *r)
{
	(void)r;
}

void uefi_session_end(struct uefi_session *s)
{
	(void)s;
}

void uefi_net_exit(struct uefi_net *n)
{
	(void)n;
}

void *efi_pages(size_t bytes)
{
	static char memory[4096];

	return bytes <= sizeof(memory) ? memory : NULL;
}

void *efi_protocol(efi_handle h, const struct efi_guid *g)
{
	(void)h, (void)g;
	return loaded.base ? &loaded : NULL;
}

const struct efi_path *efi_path_of(efi_handle h)
{
	(void)h;
	return NULL;
}

int efi_widen(efi_char *to, size_t cap, const char *from, bool path)
{
	(void)cap, (void)from, (void)path;
	to[0] = 0;
	return 0;
}

static struct uefi_program p;
static struct nbd_diag d;

static int setup(void **state)
{
	(void)state;
	memset(&fw, 0, sizeof(fw));
	memset(&loaded, 0, sizeof(loaded));
	memset(&p, 0, sizeof(p));
	fw.entry = -1;
	assert_int_equal(nbd_uri_parse(&p.root.uri[0], p.root.text,
				       sizeof(p.root.text), "nbd://192.0.2.1/"),
			 0);
	p.root.uris = 1;
	p.net.lease.addr = nbd_ip_of("\xc0\0\x02\x05", 4);
	p.net.lease.addr.prefix = 24;
	return 0;
}

static void what_is_started_finds_the_server_and_the_address(void **state)
{
	(void)state;
	fw.entry = 0x1a;
	uefi_handover_tell(&p);
	assert_int_equal(fw.attributes, EFI_VARIABLE_BOOT_AND_RUNTIME);
	assert_string_equal(fw.text, "nbdroot=nbd://192.0.2.1/ "
				     "ip=192.0.2.5:::255.255.255.0:::off "
				     "BOOTIF=01-00-00-00-00-00-00\nboot=001a");
	assert_int_equal(uefi_start(&p, &d), 0);
	assert_true(fw.started_with);
}

#define BOOTIF "BOOTIF=01-00-00-00-00-00-00"

/* What the kernel gets, and which of its words firmware has added. */
static void the_kernel_gets_the_words_that_it_lacks(void **state)
{
	static const struct {
		const char *words;
		bool device; /* ip= names one */
		const char *want;
	} cases[] = {
		{ "root=nbd://h/ quiet", false,
		  "root=nbd://h/ quiet ip=192.0.2.5:::255.255.255.0:::off " BOOTIF },
		{ "root=nbd://h/ quiet ip=dhcp", false,
		  "root=nbd://h/ quiet ip=dhcp " BOOTIF },
		{ "root=nbd://h/ ip=eth1:dhcp quiet", true,
		  "root=nbd://h/ ip=eth1:dhcp quiet" },
		{ "BOOTIF=01-1-2 root=nbd://h/ quiet ip=dhcp", false,
		  "BOOTIF=01-1-2 root=nbd://h/ quiet ip=dhcp" },
		/* a menu that knows no MAC */
		{ "BOOTIF= root=nbd://h/ quiet ip=dhcp", false,
		  "BOOTIF= root=nbd://h/ quiet ip=dhcp " BOOTIF },
		/* for a loader */
		{ "root=nbd://h/ ip=dhcp", false, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(boot_conf_parse(&p.conf, cases[i].words, &d),
				 0);
		p.net.ip.device[0] = cases[i].device;
		assert_int_equal(uefi_handover_words(&p, &d), 0);
		assert_string_equal(p.options, cases[i].want);
	}
}

static void a_loader_that_ends_leaves_nothing(void **state)
{
	(void)state;
	fw.start = EFI_DEVICE_ERROR;
	assert_int_equal(uefi_start(&p, &d), NBD_E_IO);
	assert_true(fw.started_with);
	assert_int_equal(fw.len, 0);
}

static void a_loader_that_cannot_be_loaded_leaves_nothing(void **state)
{
	(void)state;
	fw.load = EFI_SECURITY;
	assert_int_equal(uefi_start(&p, &d), NBD_E_IO);
	assert_false(fw.loaded_with || fw.started_with);
	assert_int_equal(fw.len, 0);
}

static void with_secure_boot_a_kernel_takes_nothing_unsigned(void **state)
{
	(void)state;
	memcpy(kernel_image + 0x202, "HdrS", 4);
	loaded.base = kernel_image;
	loaded.size = sizeof(kernel_image);
	assert_int_equal(boot_conf_parse(&p.conf,
					 "root=nbd://h/ kernel=/k quiet", &d),
			 0);
	assert_int_equal(uefi_start(&p, &d), 0);
	fw.secure = 1;
	fw.started_with = false;
	assert_int_equal(uefi_start(&p, &d), NBD_E_PERM);
	assert_non_null(strstr(d.text, "/k: nobody has signed its command "
				       "line"));
	assert_false(fw.started_with);
	/* a boot loader */
	memset(kernel_image + 0x202, 0, 4);
	assert_int_equal(uefi_start(&p, &d), 0);
	assert_true(fw.started_with);
	/* an initramfs, whatever it is for */
	fw.loaded_with = fw.started_with = false;
	p.conf.initrds = 1;
	p.conf.initrd[0] = "/i";
	assert_int_equal(uefi_start(&p, &d), NBD_E_PERM);
	assert_non_null(strstr(d.text, "initrd=/i: nobody has signed it"));
	assert_false(fw.loaded_with || fw.started_with);
}

/* As the operating system made it, so that it outlives the boot. */
static void a_variable_of_somebody_else_is_replaced(void **state)
{
	(void)state;
	fw.len = 1;
	fw.attributes = EFI_VARIABLE_BOOT_AND_RUNTIME | 1;
	uefi_handover_tell(&p);
	assert_true(fw.len > 1);
	assert_int_equal(fw.attributes, EFI_VARIABLE_BOOT_AND_RUNTIME);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			what_is_started_finds_the_server_and_the_address,
			setup),
		cmocka_unit_test_setup(the_kernel_gets_the_words_that_it_lacks,
				       setup),
		cmocka_unit_test_setup(a_loader_that_ends_leaves_nothing,
				       setup),
		cmocka_unit_test_setup(
			a_loader_that_cannot_be_loaded_leaves_nothing, setup),
		cmocka_unit_test_setup(
			with_secure_boot_a_kernel_takes_nothing_unsigned,
			setup),
		cmocka_unit_test_setup(a_variable_of_somebody_else_is_replaced,
				       setup),
	};

	return cmocka_run_group_tests_name("uefi start", tests, NULL, NULL);
}
