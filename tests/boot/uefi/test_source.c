/* SPDX-License-Identifier: BSD-2-Clause */
/* The places of the words, and a line for each that cannot be used. */
#include "tests/unit.h"

/* As in a program without IPv6. */
#define PORT_LWIP_LWIP_H
#define LWIP_IPV6 0
#include "boot/uefi/source.c"

const struct efi_guid efi_guid_nbdboot = { .a = 1 },
		      efi_guid_volume = { .a = 2 }, efi_guid_pxe = { .a = 3 },
		      efi_guid_http_binding = { .a = 4 };

/* Where the program came from, and what is beside it. */
static struct {
	bool volume;
	const uint8_t *path; /* of the device; its end node is not in len */
	size_t len;
	const char *text;
	char asked[600]; /* for this file */
	char said[1024];
} fw;
static struct efi_pxe_mode mode;
static struct efi_pxe pxe;
static struct efi_loaded_image loaded;
static struct uefi_program p;

void efi_print(const char *fmt, ...)
{
	struct nbd_out o = { .buf = fw.said,
			     .cap = sizeof(fw.said) - 1,
			     .len = strlen(fw.said) };
	va_list ap;

	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
}

static size_t give(void *to, const char *name)
{
	nbd_fmt(fw.asked, sizeof(fw.asked), "%s", name);
	memcpy(to, fw.text, strlen(fw.text));
	return strlen(fw.text);
}

static efi_status no_variable(const efi_char *name,
			      const struct efi_guid *vendor,
			      uint32_t *attributes, size_t *len, void *data)
{
	(void)name, (void)vendor, (void)attributes, (void)len, (void)data;
	return EFI_NOT_FOUND;
}

static struct efi_runtime runtime = { .get_variable = no_variable };
struct efi_world efi = { .rt = &runtime, .self = &loaded };

void *efi_protocol(efi_handle h, const struct efi_guid *g)
{
	(void)h;
	if (g->a == efi_guid_volume.a)
		return fw.volume ? &fw : NULL;
	return g->a == efi_guid_pxe.a && pxe.mode ? &pxe : NULL;
}

static efi_status tftp(struct efi_pxe *self, unsigned what, void *buf,
		       efi_bool overwrite, uint64_t *len, size_t *block,
		       const union efi_ip *server, const char *name, void *info,
		       efi_bool no_buffer)
{
	(void)self, (void)overwrite, (void)block, (void)info, (void)no_buffer;
	assert_int_equal(what, EFI_PXE_READ_FILE);
	assert_memory_equal(server->v4, "\xc0\0\2\1", 4);
	*len = give(buf, name);
	return EFI_SUCCESS;
}

int efi_http_get(const struct efi_http_from *from, const char *url, void *buf,
		 size_t cap)
{
	(void)cap;
	assert_memory_equal(from->addr.ip, "\xc0\0\2\5", 4);
	assert_int_equal(from->addr.prefix, 24);
	return (int)give(buf, url);
}

static efi_status read_file(struct efi_file *f, size_t *len, void *to)
{
	(void)f;
	*len = give(to, "a file");
	return EFI_SUCCESS;
}

static efi_status close_file(struct efi_file *f)
{
	(void)f;
	return EFI_SUCCESS;
}

int efi_file_open(struct efi_file **f, uint64_t *size, efi_handle h,
		  const char *name)
{
	static struct efi_file file = { .read = read_file,
					.close = close_file };

	(void)h, (void)name;
	*f = &file;
	*size = strlen(fw.text);
	return 0;
}

const struct efi_path *efi_path_of(efi_handle h)
{
	(void)h;
	return (const void *)fw.path;
}

size_t efi_path_len(const struct efi_path *path)
{
	return (const void *)path == fw.path ? fw.len : 600;
}

bool efi_path_begins(const struct efi_path *path, const struct efi_path *with)
{
	return path == with;
}

size_t efi_handles(const struct efi_guid *g, efi_handle **list)
{
	(void)g;
	*list = NULL;
	return 0;
}

void efi_free(void *memory)
{
	(void)memory;
}

bool efi_key(struct efi_key *k)
{
	(void)k;
	return false;
}

int efi_error(efi_status s)
{
	return s ? NBD_E_IO : 0;
}

const char *efi_text(efi_status s)
{
	(void)s;
	return "";
}

static int setup(void **state)
{
	(void)state;
	memset(&fw, 0, sizeof(fw));
	memset(&mode, 0, sizeof(mode));
	memset(&pxe, 0, sizeof(pxe));
	memset(&loaded, 0, sizeof(loaded));
	fw.text = "root=nbd://s/";
	pxe.tftp = tftp;
	mode.started = 1;
	return 0;
}

/* The words are of FROM, which is the file `asked`. */
static void takes(const char *from, const char *asked)
{
	fw.said[0] = '\0';
	uefi_source(&p);
	assert_string_equal(fw.said, "");
	assert_string_equal(p.text, fw.text);
	assert_string_equal(p.source, from);
	assert_string_equal(fw.asked, asked);
}

/* No words, and this line says why. */
static void says(const char *line)
{
	fw.said[0] = '\0';
	uefi_source(&p);
	assert_string_equal(fw.said, line);
	assert_string_equal(p.text, "");
	assert_string_equal(p.source, "DHCP");
}

static void from_nowhere_there_are_no_words(void **state)
{
	(void)state;
	says("");
	/* it was not used */
	pxe.mode = &mode;
	mode.started = 0;
	says("");
}

static void a_volume_has_a_file_beside_the_program(void **state)
{
	/* a node of a file whose name has 298 letters */
	static uint8_t deep[600] = { 4, 4, 600 & 0xff, 600 >> 8 };

	(void)state;
	fw.volume = true;
	takes("nbdboot.conf", "a file");
	for (size_t i = 4; i < sizeof(deep) - 2; i += 2)
		deep[i] = 'x';
	loaded.path = (void *)deep;
	says("nbdboot: nbdboot.conf: ignored: the path of this program is too "
	     "long\n");
}

static void pxe_has_it_where_the_program_was(void **state)
{
	uint8_t *ack = mode.ack.raw;

	(void)state;
	pxe.mode = &mode;
	/* an answer that names no file and no server */
	says("nbdboot: nbdboot.conf of PXE: ignored: no IPv4 address or no "
	     "name\n");
	memcpy(ack + 108, "d/nbdboot.efi", 13);
	says("nbdboot: nbdboot.conf of PXE: ignored: no IPv4 address or no "
	     "name\n");
	memcpy(ack + 20, "\xc0\0\2\1", 4);
	takes("d/nbdboot.conf", "d/nbdboot.conf");
	/* that of DHCPv6 looks like anything */
	mode.v6 = 1;
	says("nbdboot: nbdboot.conf of PXE: ignored: no IPv4 address or no "
	     "name\n");
}

/* Nodes: IPv4 (3, 12) or IPv6 (3, 13), and the URI (3, 24). */
static void http_boot_has_it_where_the_program_was(void **state)
{
	static const char url[] = "http://192.0.2.1/d/nbdboot.efi?x=/y";
	static uint8_t path[128] = { 3, 12, 27, 0, 192, 0, 2, 5 };

	(void)state;
	memcpy(path + 23, "\xff\xff\xff\0", 4);
	memcpy(path + 27, (uint8_t[]){ 3, 24, 4 + sizeof(url) - 1, 0 }, 4);
	memcpy(path + 31, url, sizeof(url) - 1);
	fw.path = path;
	fw.len = 31 + sizeof(url) - 1;
	takes("http://192.0.2.1/d/nbdboot.conf",
	      "http://192.0.2.1/d/nbdboot.conf");
	/* by IPv6 */
	path[1] = 13;
	says("nbdboot: nbdboot.conf of HTTP boot: ignored: no IPv4 address or "
	     "no name\n");
}

static void the_options_come_first(void **state)
{
	static char options[] = "root=nbd://o/";

	(void)state;
	fw.volume = true;
	loaded.options = options;
	loaded.options_len = sizeof(options);
	uefi_source(&p);
	assert_string_equal(p.text, options);
	assert_string_equal(p.source, "LoadOptions");
	assert_string_equal(fw.asked, "");
	/* what is no text is named, and the next place counts */
	options[0] = '\1';
	uefi_source(&p);
	assert_string_equal(fw.said,
			    "nbdboot: LoadOptions: ignored: not text\n");
	assert_string_equal(p.source, "nbdboot.conf");
}

/* As of "EFI PXE 0 for IPv4" and "UEFI: IP4 Realtek PCIe GBE". */
static void marks_of_the_firmware_are_no_words(void **state)
{
	static char marks[] = "RCAMBO";

	(void)state;
	fw.volume = true;
	loaded.options = marks;
	loaded.options_len = 2;
	takes("nbdboot.conf", "a file");
	loaded.options = marks + 2;
	loaded.options_len = 4;
	takes("nbdboot.conf", "a file");
	/* a word that only begins like one */
	loaded.options_len = 3;
	uefi_source(&p);
	assert_string_equal(p.source, "LoadOptions");
}

/* Attributes, length of the path, "NBD", a path of one node, and options. */
static void a_whole_boot_entry_has_its_options_behind_it(void **state)
{
	static uint8_t entry[] = { 1,	0, 0,	 0,    12, 0, 'N', 0, 'B', 0,
				   'D', 0, 0,	 0,    4,  4, 8,   0, 'x', 0,
				   0,	0, 0x7f, 0xff, 4,  0, 'r', 0, 'w', 0 };

	(void)state;
	fw.volume = true;
	loaded.options = entry;
	loaded.options_len = sizeof(entry);
	uefi_source(&p);
	assert_string_equal(p.text, "rw");
	assert_string_equal(p.source, "LoadOptions");
	/* without any */
	loaded.options_len = sizeof(entry) - 4;
	takes("nbdboot.conf", "a file");
	/* cut, or with another length of the path: not text */
	loaded.options_len = sizeof(entry) - 5;
	uefi_source(&p);
	assert_non_null(strstr(fw.said, "not text"));
	entry[4]++;
	loaded.options_len = sizeof(entry);
	fw.said[0] = '\0';
	uefi_source(&p);
	assert_non_null(strstr(fw.said, "not text"));
}

#define PLACE(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		PLACE(from_nowhere_there_are_no_words),
		PLACE(a_volume_has_a_file_beside_the_program),
		PLACE(pxe_has_it_where_the_program_was),
		PLACE(http_boot_has_it_where_the_program_was),
		PLACE(the_options_come_first),
		PLACE(marks_of_the_firmware_are_no_words),
		PLACE(a_whole_boot_entry_has_its_options_behind_it),
	};

	return cmocka_run_group_tests_name("where the words are", tests, NULL,
					   NULL);
}
