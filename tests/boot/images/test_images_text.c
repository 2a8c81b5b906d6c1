/* SPDX-License-Identifier: BSD-2-Clause */
/* A text on an export, whatever requests its server takes. */
#include "boot/images/keep_tries.h"
#include "tests/boot/server.h"

#define SIZE 200000u

static unsigned char disk[SIZE];
static uint64_t size;
static uint32_t min_block, max_payload; /* 0: not said */
static unsigned lost;	 /* so many connections end at their first write */
static unsigned gone;	 /* or at their first read */
static unsigned leaving; /* so many writes are refused: the server leaves */
static struct images_text t;
static struct nbd_diag d;
static char text[SIZE];

static void answer(int fd, const unsigned char *request)
{
	static unsigned char data[4096];
	unsigned type = be32(request + 4) & 0xffff;
	uint64_t offset = be64(request + 16);
	uint32_t len = be32(request + 24);
	struct script s;

	if (type == NBD_CMD_WRITE)
		server_receive(fd, data, len);
	else if (type != NBD_CMD_READ)
		return;
	if (type == NBD_CMD_WRITE ? lost : gone) {
		--*(type == NBD_CMD_WRITE ? &lost : &gone);
		shutdown(fd, SHUT_RDWR);
		return;
	}
	script_start(&s);
	say(&s, 0x67446698, 4);
	say(&s, leaving ? NBD_ESHUTDOWN : 0, 4);
	say_bytes(&s, request + 8, 8);
	send(fd, s.srv, s.n, MSG_NOSIGNAL);
	if (leaving)
		leaving--;
	else if (type == NBD_CMD_READ)
		send(fd, disk + offset, len, MSG_NOSIGNAL);
	else
		memcpy(disk + offset, data, len);
}

/* Credentials are read from files once: those may be gone later. */
static struct tls_creds *const loaded = (void *)&d;
static unsigned loads, unloads;

int __real_device_tls_dial(struct device_tls *tls, struct conn conns[],
			   unsigned n, const struct nbd_uri *uri,
			   const struct nbd_config *cfg,
			   const struct tls_files *files, bool kernel,
			   struct nbd_diag *dg);
int __wrap_device_tls_dial(struct device_tls *tls, struct conn conns[],
			   unsigned n, const struct nbd_uri *uri,
			   const struct nbd_config *cfg,
			   const struct tls_files *files, bool kernel,
			   struct nbd_diag *dg);
int __wrap_device_tls_dial(struct device_tls *tls, struct conn conns[],
			   unsigned n, const struct nbd_uri *uri,
			   const struct nbd_config *cfg,
			   const struct tls_files *files, bool kernel,
			   struct nbd_diag *dg)
{
	loads += !tls->session.creds;
	tls->session.creds = loaded;
	return __real_device_tls_dial(tls, conns, n, uri, cfg, files, kernel,
				      dg);
}

void __wrap_device_tls_close(struct device_tls *tls);
void __wrap_device_tls_close(struct device_tls *tls)
{
	unloads += tls->session.creds == loaded;
	tls->session.creds = NULL;
}

static void start(void)
{
	struct script *s = &server.hello;

	memset(&server, 0, sizeof(server));
	script_start(s);
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(s, size, NBD_FLAG_HAS_FLAGS);
	if (min_block)
		say_info_block(s, min_block, 4096, max_payload);
	say_reply(s, NBD_OPT_GO, NBD_REP_ACK, 0);
	server.answer = answer;
	server_start();
}

/* Returns the length of the text, of which there is room for cap bytes. */
static int first(size_t cap)
{
	struct nbd_uri uri;
	int n;

	start();
	uri = server_uri();
	n = images_text_first(&t, &uri, 1, text, cap, &d);
	server_stop();
	return n;
}

static void write_text(size_t len)
{
	memset(disk, 0, SIZE);
	memset(disk, 'x', len);
	memset(text, 0, sizeof(text));
	size = SIZE / 4096 * 4096;
	min_block = max_payload = 0;
}

static void a_text_is_read_in_blocks_of_the_server(void **state)
{
	(void)state;
	for (min_block = 1; min_block <= 4096; min_block *= 8) {
		uint32_t block = min_block;

		write_text(100001);
		min_block = block;
		max_payload = UINT32_MAX;
		assert_int_equal(first(110000), 100001);
		assert_memory_equal(text, disk, 100001);
	}
}

static void a_text_is_read_in_requests_that_the_server_takes(void **state)
{
	(void)state;
	write_text(100001);
	min_block = 512;
	max_payload = 65536;
	assert_int_equal(first(sizeof(text)), 100001);
	assert_memory_equal(text, disk, 100001);
}

static void a_text_without_an_end_is_too_long(void **state)
{
	(void)state;
	write_text(SIZE);
	assert_int_equal(first(100000), NBD_E_USAGE);
	assert_string_equal(d.text,
			    "the text on the server has more than 100000 "
			    "bytes");
	size = 1000;
	assert_int_equal(first(1000), 1000);
	/* of its last bytes no request is possible */
	min_block = 512;
	max_payload = UINT32_MAX;
	assert_int_equal(first(1000), NBD_E_USAGE);
	size = 100;
	assert_int_equal(first(1000), NBD_E_RANGE);
	assert_string_equal(d.text, "it has 100 bytes, in blocks of 512");
}

static void start_keeper(struct images_keeper *k)
{
	char uri[128];

	write_text(0);
	start();
	snprintf(uri, sizeof(uri), "nbd+unix:///?socket=%s", server.path);
	assert_int_equal(images_keeper_open(k, uri, NULL, &d), NBD_OK);
}

static void a_lost_connection_comes_back_with_its_credentials(void **state)
{
	const struct images_tries good = { .good = 7 };
	struct images_tries back;
	struct images_keeper k;

	(void)state;
	loads = unloads = 0;
	start_keeper(&k);
	lost = 4;
	assert_true(images_keeper_write(&k, &good, &d) < 0);
	assert_true(images_keeper_write(&k, &good, &d) < 0);
	assert_true(images_keeper_write(&k, &good, &d) < 0);
	assert_int_equal(lost, 0);
	assert_int_equal(images_keeper_write(&k, &good, &d), NBD_OK);
	assert_int_equal(loads, 1);
	/* one that was idle is tried twice */
	gone = 3;
	assert_true(images_keeper_read(&k, &back, &d) < 0);
	assert_true(images_keeper_read(&k, &back, &d) < 0);
	assert_int_equal(images_keeper_read(&k, &back, &d), NBD_OK);
	gone = 1;
	assert_int_equal(images_keeper_read(&k, &back, &d), NBD_OK);
	assert_int_equal(back.good, 7);
	images_keeper_close(&k);
	assert_int_equal(unloads, 1);
	server_stop();
}

/* As nbdkit, which waits for its clients when it is to end. */
static void a_server_that_leaves_is_asked_again_when_it_is_back(void **state)
{
	const struct images_tries good = { .good = 7 };
	struct images_keeper k;

	(void)state;
	start_keeper(&k);
	leaving = 2;
	/* an outage, for which a boot waits */
	assert_int_equal(images_keeper_write(&k, &good, &d), NBD_E_SHUTDOWN);
	assert_int_equal(images_keeper_write(&k, &good, &d), NBD_OK);
	images_keeper_close(&k);
	server_stop();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_read_in_blocks_of_the_server),
		cmocka_unit_test(
			a_text_is_read_in_requests_that_the_server_takes),
		cmocka_unit_test(a_text_without_an_end_is_too_long),
		cmocka_unit_test(
			a_lost_connection_comes_back_with_its_credentials),
		cmocka_unit_test(
			a_server_that_leaves_is_asked_again_when_it_is_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
