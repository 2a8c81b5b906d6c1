/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies from a server that answers what no real one does, or nothing. */
#include "tests/boot/server.h"
#include "tests/world/clock.h"
#include "boot/copy/copy.h"
#include "boot/copy/link.h"
#include "port/latency.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#define SIZE	(1u << 20)
#define CONTEXT 7

static char out[80]; /* the destination */
static struct nbd_diag d;
static uint16_t flags = NBD_FLAG_HAS_FLAGS;
static unsigned connections = 1; /* 0: as many as the server allows */

/* Structured replies, base:allocation, and an export of SIZE bytes. */
static void greet(struct script *s)
{
	script_start(s);
	say_greeting(s, NBD_FLAG_FIXED_NEWSTYLE);
	say_reply(s, NBD_OPT_EXTENDED_HEADERS, NBD_REP_ERR | 1, 0);
	say_reply(s, NBD_OPT_STRUCTURED_REPLY, NBD_REP_ACK, 0);
	say_reply(s, NBD_OPT_SET_META_CONTEXT, NBD_REP_META_CONTEXT, 4 + 15);
	say(s, CONTEXT, 4);
	say_bytes(s, "base:allocation", 15);
	say_reply(s, NBD_OPT_SET_META_CONTEXT, NBD_REP_ACK, 0);
	say_info_export(s, SIZE, flags);
	say_reply(s, NBD_OPT_GO, NBD_REP_ACK, 0);
}

static unsigned part_ms; /* for each part of an answer */

/* Time passes after the client has read all. */
static void dawdle(int fd)
{
	int left = 1;

	while (part_ms && !ioctl(fd, SIOCOUTQ, &left) && left)
		usleep(1000);
	world.now += part_ms;
}

/* Block status: "done", and no chunk.  Reads: SIZE times 'x'. */
static void answer(int fd, const unsigned char *request)
{
	static struct script s;
	uint32_t len = be32(request + 24);

	script_start(&s);
	say(&s, 0x668e33ef, 4);
	say(&s, 1, 2); /* NBD_REPLY_FLAG_DONE */
	if (be32(request + 4) >> 16 != 0 || (be32(request + 4) & 0xffff) != 0) {
		say(&s, 0, 2);
		say_bytes(&s, request + 8, 8);
		say(&s, 0, 4);
		send(fd, s.srv, s.n, MSG_NOSIGNAL);
		return;
	}
	say(&s, 1, 2); /* NBD_REPLY_TYPE_OFFSET_DATA */
	say_bytes(&s, request + 8, 8);
	say(&s, 8 + len, 4);
	say_bytes(&s, request + 16, 8);
	send(fd, s.srv, s.n, MSG_NOSIGNAL);
	script_start(&s);
	say_fill(&s, 'x', 16384);
	for (uint32_t part; len; len -= part) {
		part = len < 16384 ? len : 16384;
		send(fd, s.srv, part, MSG_NOSIGNAL);
		dawdle(fd);
	}
}

static void interrupt(int fd, const unsigned char *request)
{
	(void)fd, (void)request;
	raise(SIGTERM);
}

/*
 * Slow ticks: as few as end a wait, and time between the last one, which ends
 * the program, and the one before.
 */
int __real_setitimer(int which, const struct itimerval *set,
		     struct itimerval *was);
int __wrap_setitimer(int which, const struct itimerval *set,
		     struct itimerval *was);
int __wrap_setitimer(int which, const struct itimerval *set,
		     struct itimerval *was)
{
	struct itimerval slow = *set;

	slow.it_interval.tv_usec *= 5;
	slow.it_value = slow.it_interval;
	return __real_setitimer(which, &slow, was);
}

static int setup(void **state)
{
	(void)state;
	memset(&server, 0, sizeof(server));
	world = (struct world){ .real = true };
	greet(&server.hello);
	server.answer = answer;
	server_start();
	snprintf(out, sizeof(out), "%s/out", server.dir);
	d.text[0] = '\0';
	copy_interrupted = 0;
	return 0;
}

static int cleanup(void **state)
{
	const struct itimerval off = { 0 };

	(void)state;
	/* otherwise the ticks of this signal go on in the next test */
	setitimer(ITIMER_REAL, &off, NULL);
	unlink(out);
	server_stop();
	return 0;
}

/* From the server into the file; the result of the copy. */
static int copy_with(struct copy_options o, uint64_t *done)
{
	static struct copy_link link;
	struct nbd_uri uri = server_uri();
	static struct nbd_latency latency;
	struct side src = { .name = "src", .fd = -1 }, dst;
	struct copy c = { .src = &src, .dst = &dst, .d = &d };
	int err;

	o.connections = connections;
	o.latency = &latency;
	memset(&link, 0, sizeof(link));
	assert_int_equal(copy_side_open_nbd(&src, &link, &uri, &o, &d), 0);
	assert_int_equal(copy_side_open_file(&dst, out, true, &d), 0);
	err = copy_run(&c, &o, done);
	dst.ops->close(&dst);
	src.ops->close(&src);
	return err;
}

static int copy(uint64_t *done)
{
	return copy_with((struct copy_options){ 0 }, done);
}

static off_t size_of_out(void)
{
	int fd = open(out, O_RDONLY);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

	if (fd >= 0)
		close(fd);
	return size;
}

static void what_block_status_leaves_out_is_read(void **state)
{
	uint64_t done;

	(void)state;
	assert_int_equal(copy(&done), 0);
	assert_int_equal(done, SIZE);
	assert_int_equal(size_of_out(), SIZE);
}

static unsigned seen; /* how often the destination was there already */

static void look_for_out(int fd, const unsigned char *request)
{
	seen += request[7] != NBD_CMD_DISC && !access(out, F_OK);
	answer(fd, request);
}

/* A kill or a power cut would leave an empty file, and nobody could tell. */
static void its_name_is_free_before_the_first_answer(void **state)
{
	char part[96];
	uint64_t done;

	(void)state;
	snprintf(part, sizeof(part), "%s" COPY_PART, out);
	server.answer = look_for_out;
	seen = 0;
	assert_int_equal(copy(&done), 0);
	assert_int_equal(seen, 0);
	assert_int_equal(size_of_out(), SIZE);
	assert_int_not_equal(access(part, F_OK), 0);
}

static char said[512];

static void keep_words(const struct nbd_diag *text)
{
	snprintf(said, sizeof(said), "%s", text->text);
}

static void a_server_that_takes_one_client_is_enough(void **state)
{
	uint64_t done;

	(void)state;
	flags = NBD_FLAG_HAS_FLAGS | NBD_FLAG_CAN_MULTI_CONN;
	greet(&server.hello);
	flags = NBD_FLAG_HAS_FLAGS;
	server.once = true;
	connections = 0;
	assert_int_equal(copy_with((struct copy_options){ .say = keep_words },
				   &done),
			 0);
	connections = 1;
	assert_int_equal(done, SIZE);
	assert_non_null(strstr(said, "goes on with one connection"));
	assert_non_null(strstr(said, "refused"));
}

/* The server raises SIGTERM in place of its first answer, and is silent. */
static void a_signal_ends_the_wait_for_a_silent_server(void **state)
{
	uint64_t done;

	(void)state;
	server.answer = interrupt;
	copy_catch_signals();
	assert_int_equal(copy(&done), NBD_E_INTERRUPTED);
	assert_int_equal(done, 0);
	assert_string_equal(d.text,
			    "interrupted: the first 0 bytes are copied");
	/* nothing was copied, so there is no file */
	assert_int_equal(size_of_out(), -1);
	strcat(out, COPY_PART);
	assert_int_equal(size_of_out(), -1);
}

static void a_file_that_was_there_stays_as_it_was(void **state)
{
	uint64_t done;
	int fd;

	(void)state;
	server.answer = interrupt;
	fd = open(out, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "precious", 8), 8);
	close(fd);
	copy_catch_signals();
	assert_int_equal(copy(&done), NBD_E_INTERRUPTED);
	assert_int_equal(size_of_out(), 8);
}

/* ---- a source that hangs up at each read of one sector ---- */

static uint64_t deadly; /* its offset */
static unsigned hangups;

static void hang_up(int fd, const unsigned char *request)
{
	uint64_t offset = be64(request + 16);

	if (request[7] == NBD_CMD_READ && offset <= deadly &&
	    deadly - offset < be32(request + 24)) {
		hangups++;
		shutdown(fd, SHUT_RDWR);
		return;
	}
	answer(fd, request);
}

static void say_nothing(const struct nbd_diag *text)
{
	(void)text;
}

static int copy_from_deadly(uint64_t offset, const char *skip, uint64_t *done)
{
	server.answer = hang_up;
	deadly = offset;
	hangups = 0;
	return copy_with((struct copy_options){ .patience = 600,
						.say = say_nothing,
						.skip_bad = skip },
			 done);
}

static void the_piece_at_which_it_hangs_up_is_named(void **state)
{
	char text[64];
	uint64_t done;

	(void)state;
	assert_int_equal(copy_from_deadly(700 << 10, NULL, &done), NBD_E_CUT);
	snprintf(text, sizeof(text), "read at offset %u (%u bytes)",
		 (700u << 10) & ~(COPY_PIECE - 1), COPY_PIECE);
	assert_non_null(strstr(d.text, text));
}

/* Others that are in flight beside it are not lost. */
static void only_what_it_hangs_up_at_is_skipped(void **state)
{
	uint64_t done;

	(void)state;
	assert_int_equal(copy_from_deadly(700 << 10, "", &done), 0);
	assert_int_equal(done, SIZE - 512);
	assert_true(hangups >= 11);
}

static void so_is_a_piece_before_any_answer(void **state)
{
	uint64_t done;

	(void)state;
	assert_int_equal(copy_from_deadly(100 << 10, "", &done), 0);
	assert_int_equal(done, SIZE - 512);
}

/* ---- an outage of the destination ---- */

#define PIECE (SIZE / 4)
#define BLOCK (16u << 10) /* the minimum of a source */

/*
 * What the server got: 'w' and the number of the piece, 'r' for
 * a read, 'f' for a flush, '-' for the end of a connection instead of an answer.
 */
static char log_[64];
static unsigned n_log, die_at;
static bool dies_again;	      /* at the same piece */
static char kept;	      /* what each byte holds that is read */
static unsigned char refusal; /* of more zeroes than a piece has */
static uint32_t zeroed;
static bool holes;	 /* the source is one */
static uint32_t most;	 /* the server takes at once; 0: it does not say */
static uint64_t bits;	 /* of all offsets and lengths */
static const char *hash; /* of what is written; its reader loses a server, too */

static void note(char c)
{
	if (n_log + 1 < sizeof(log_))
		log_[n_log++] = c;
}

/* After each write more time passes than is between two flushes. */
static void take_writes(int fd, const unsigned char *request)
{
	static unsigned char body[PIECE];
	unsigned char reply[16] = { 0x67, 0x44, 0x66, 0x98 };

	switch (request[7]) {
	case NBD_CMD_WRITE:
		bits |= be64(request + 16) | be32(request + 24);
		server_receive(fd, body, be32(request + 24));
		note('w');
		note((char)('0' + be64(request + 16) / PIECE));
		if (be64(request + 16) / PIECE == die_at) {
			if (!dies_again)
				die_at = 99;
			note('-');
			shutdown(fd, SHUT_RDWR);
			return;
		}
		world.now += COPY_FLUSH_NS / 1000000 + 1;
		break;
	case NBD_CMD_FLUSH:
		note('f');
		break;
	case NBD_CMD_WRITE_ZEROES:
		note('z');
		if (be32(request + 24) > PIECE)
			reply[7] = refusal;
		else
			zeroed += be32(request + 24);
		break;
	case NBD_CMD_READ:
		note('r');
		/* not a sample, which is shorter */
		if (hash && be32(request + 24) == PIECE &&
		    be64(request + 16) / PIECE == 2 && !strchr(log_, '!')) {
			note('!');
			shutdown(fd, SHUT_RDWR);
			return;
		}
		memset(body, kept, sizeof(body));
		break;
	default:
		return;
	}
	memcpy(reply + 8, request + 8, 8);
	send(fd, reply, sizeof(reply), MSG_NOSIGNAL);
	if (request[7] == NBD_CMD_READ)
		send(fd, body, be32(request + 24), MSG_NOSIGNAL);
}

/* From a file of four pieces, one after the other; the server dies at one. */
static int copy_to(uint16_t more, unsigned die, unsigned patience)
{
	static struct copy_link link;
	static struct nbd_latency latency;
	struct nbd_uri uri = server_uri();
	struct copy_options o = { .connections = 1,
				  .depth = 1,
				  .simple = true,
				  .patience = patience,
				  .say = say_nothing,
				  .hash = hash,
				  .latency = &latency };
	struct side src, dst = { .name = "dst", .output = true, .fd = -1 };
	struct copy c = { .src = &src, .dst = &dst, .d = &d };
	static char data[SIZE];
	uint64_t done;
	int err, fd = open(out, O_RDWR | O_CREAT, 0600);

	memset(data, 'x', sizeof(data));
	if (holes)
		assert_int_equal(ftruncate(fd, SIZE), 0);
	else
		assert_int_equal(write(fd, data, SIZE), SIZE);
	close(fd);
	memset(&link, 0, sizeof(link));
	memset(log_, 0, sizeof(log_));
	n_log = 0;
	die_at = die;
	server.answer = take_writes;
	script_start(&server.hello);
	say_greeting(&server.hello, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(&server.hello, SIZE,
			(uint16_t)(NBD_FLAG_HAS_FLAGS | more));
	if (most)
		say_info_block(&server.hello, 1, 512, most);
	say_reply(&server.hello, NBD_OPT_GO, NBD_REP_ACK, 0);
	assert_int_equal(copy_side_open_file(&src, out, false, &d), 0);
	assert_int_equal(copy_side_open_nbd(&dst, &link, &uri, &o, &d), 0);
	if (most)
		src.align = BLOCK;
	err = copy_run(&c, &o, &done);
	dst.ops->close(&dst);
	src.ops->close(&src);
	return err;
}

static void what_was_flushed_is_not_written_again(void **state)
{
	const char *again;

	(void)state;
	kept = 'x';
	assert_int_equal(copy_to(NBD_FLAG_SEND_FLUSH, 3, 600), 0);
	/* the first flush had its answer before that to piece 2 */
	again = strstr(log_, "w3-");
	assert_non_null(again);
	assert_null(strstr(again, "w0"));
	assert_non_null(strstr(again + 3, "w3"));
	/* and the last writes are flushed, and the first ones looked for */
	again = strrchr(log_, 'f');
	assert_non_null(again);
	assert_null(strchr(again, 'w'));
	assert_int_equal(again[1], 'r');
}

static void a_hash_survives_an_outage_as_it_is_read(void **state)
{
	(void)state;
	kept = 'x';
	hash = "sha256";
	assert_int_equal(copy_to(NBD_FLAG_SEND_FLUSH, 3, 600), 0);
	assert_non_null(strchr(log_, '!'));
	hash = NULL;
}

/* An empty one, for example, that only has the name. */
static void a_server_without_what_it_had_flushed_is_refused(void **state)
{
	(void)state;
	kept = '\0';
	assert_int_not_equal(copy_to(NBD_FLAG_SEND_FLUSH, 3, 600), 0);
	assert_non_null(strstr(d.text, "came back without what it had"));
}

static void one_that_always_dies_at_a_write_is_given_up(void **state)
{
	unsigned deaths = 0;

	(void)state;
	dies_again = true;
	assert_int_equal(copy_to(0, 1, 600), NBD_E_CUT);
	dies_again = false;
	for (unsigned i = 0; i < n_log; i++)
		deaths += log_[i] == '-';
	assert_int_equal(deaths, 11);
}

/* It has flushed all before, so that nothing is left that it would answer. */
static void nor_is_one_waited_for_that_answers_nothing_else(void **state)
{
	unsigned deaths = 0;

	(void)state;
	dies_again = true;
	kept = 'x';
	assert_int_equal(copy_to(NBD_FLAG_SEND_FLUSH, 1, 600), NBD_E_CUT);
	dies_again = false;
	for (unsigned i = 0; i < n_log; i++)
		deaths += log_[i] == '-';
	assert_int_equal(deaths, 11);
}

static void without_flush_all_is_written_again(void **state)
{
	(void)state;
	assert_int_equal(copy_to(0, 3, 600), 0);
	assert_string_equal(log_, "w0w1w2w3-w0w1w2w3");
}

static void without_patience_the_copy_fails_at_once(void **state)
{
	(void)state;
	assert_int_equal(copy_to(NBD_FLAG_SEND_FLUSH, 3, 0), NBD_E_CUT);
	assert_null(strchr(log_, 'f'));
}

static void a_server_that_never_answered_is_not_waited_for(void **state)
{
	(void)state;
	assert_int_equal(copy_to(NBD_FLAG_SEND_FLUSH, 0, 600), NBD_E_CUT);
	assert_string_equal(log_, "w0-");
}

/* ---- a machine that is suspended while a server is away ---- */

static uint64_t slept, sleeps_at, back_at; /* ms; 0: never */

uint64_t __wrap_suspend_ms(void);
uint64_t __wrap_suspend_ms(void)
{
	return slept;
}

int __real_device_tls_dial(struct device_tls *t, struct conn conns[],
			   unsigned n, const struct nbd_uri *uri,
			   const struct nbd_config *cfg,
			   const struct tls_files *files, bool kernel,
			   struct nbd_diag *diag);
int __wrap_device_tls_dial(struct device_tls *t, struct conn conns[],
			   unsigned n, const struct nbd_uri *uri,
			   const struct nbd_config *cfg,
			   const struct tls_files *files, bool kernel,
			   struct nbd_diag *diag);
/* No server, and then one with another disk: the wait was not given up. */
int __wrap_device_tls_dial(struct device_tls *t, struct conn conns[],
			   unsigned n, const struct nbd_uri *uri,
			   const struct nbd_config *cfg,
			   const struct tls_files *files, bool kernel,
			   struct nbd_diag *diag)
{
	if (!back_at)
		return __real_device_tls_dial(t, conns, n, uri, cfg, files,
					      kernel, diag);
	if (sleeps_at && world.now >= sleeps_at) {
		slept += 7200000;
		world.now += 7200000;
		back_at += 7200000;
		sleeps_at = 0;
	}
	return world.now < back_at ? nbd_diag(diag, NBD_E_UNREACHABLE, "away")
				   : nbd_diag(diag, NBD_E_MISMATCH, "other");
}

static int outage(uint64_t sleep_s, uint64_t back_s)
{
	static const struct nbd_uri uri = { .host = "h" };
	static struct copy_options o = { .patience = 600 };
	static struct copy_link link;
	struct side s = { .name = "h", .output = true, .link = &link };

	link = (struct copy_link){
		.uri = &uri,
		.o = &o,
		.answered = true,
		.wanted = 1,
		.retry = { .min = 100, .max = 5000, .patience = 600000 }
	};
	world.now = 1000;
	slept = 0;
	sleeps_at = sleep_s * 1000;
	back_at = back_s * 1000;
	return copy_side_reconnect(&s, NBD_E_UNREACHABLE, &d);
}

static void a_suspend_is_no_part_of_an_outage(void **state)
{
	(void)state;
	assert_int_equal(outage(0, 500), NBD_E_MISMATCH);
	assert_int_equal(outage(0, 700), NBD_E_UNREACHABLE);
	assert_int_equal(outage(300, 700), NBD_E_MISMATCH);
	/* the network needs a moment after it */
	assert_int_equal(outage(595, 650), NBD_E_MISMATCH);
	assert_int_equal(outage(300, 1000), NBD_E_UNREACHABLE);
	back_at = 0;
}

/* proto.md, "Block size constraints": it may, if that takes a buffer. */
static void zeroes_that_are_too_many_are_written_in_pieces(void **state)
{
	static const unsigned char refusals[] = { NBD_EOVERFLOW, NBD_EINVAL };

	(void)state;
	holes = true;
	for (unsigned i = 0; i < sizeof(refusals); i++) {
		refusal = refusals[i];
		zeroed = 0;
		assert_int_equal(copy_to(NBD_FLAG_SEND_WRITE_ZEROES, 99, 0), 0);
		assert_string_equal(log_, "zzzzz");
		assert_int_equal(zeroed, SIZE);
	}
	refusal = NBD_EPERM;
	assert_int_equal(copy_to(NBD_FLAG_SEND_WRITE_ZEROES, 99, 0), NBD_E_IO);
	assert_string_equal(log_, "z");
	holes = false;
}

/* The longest write is no multiple of what the source needs. */
static void pieces_are_whole_blocks_of_both_sides(void **state)
{
	(void)state;
	bits = 0;
	most = BLOCK + BLOCK / 2;
	assert_int_equal(copy_to(0, 99, 0), 0);
	assert_int_equal(bits & (BLOCK - 1), 0);
	most = BLOCK - 1;
	assert_int_equal(copy_to(0, 99, 0), NBD_E_ALIGN);
	assert_non_null(strstr(d.text, "takes 16383 bytes at once"));
	assert_string_equal(log_, "");
	most = 0;
}

/* Each request takes 320 s, and bytes come all the time. */
static void a_slow_server_is_not_silent(void **state)
{
	uint64_t done;

	(void)state;
	part_ms = 20000;
	assert_int_equal(copy(&done), 0);
	part_ms = 0;
	assert_int_equal(done, SIZE);
}

/* No event would tell more: the next request does. */
static void one_that_hung_up_unasked_wakes_nobody(void **state)
{
	static struct copy_link link;
	struct nbd_uri uri = server_uri();
	const struct copy_options o = { .connections = 1 };
	struct side src = { .name = "src", .fd = -1 };
	struct pollfd fds[COPY_LINKS];

	(void)state;
	memset(&link, 0, sizeof(link));
	assert_int_equal(copy_side_open_nbd(&src, &link, &uri, &o, &d), 0);
	shutdown(server.fd, SHUT_RDWR);
	assert_int_equal(copy_side_poll(&src, fds, 0), 1);
	assert_int_equal(poll(fds, 1, 0), 0);
	src.ops->close(&src);
}

/* A hash tree is read in longer parts than some servers take. */
static void a_peek_asks_for_no_more_than_the_server_takes(void **state)
{
	static struct copy_link link;
	static char text[70000];
	struct nbd_uri uri = server_uri();
	const struct copy_options o = { .connections = 1, .simple = true };
	struct side src = { .name = "src", .fd = -1 };

	(void)state;
	memset(&link, 0, sizeof(link));
	memset(log_, 0, sizeof(log_));
	n_log = 0;
	server.answer = take_writes;
	script_start(&server.hello);
	say_greeting(&server.hello, NBD_FLAG_FIXED_NEWSTYLE);
	say_info_export(&server.hello, SIZE, NBD_FLAG_HAS_FLAGS);
	say_info_block(&server.hello, 4096, 4096, 32768);
	say_reply(&server.hello, NBD_OPT_GO, NBD_REP_ACK, 0);
	assert_int_equal(copy_side_open_nbd(&src, &link, &uri, &o, &d), 0);
	assert_int_equal(copy_side_peek(&src, text, sizeof(text), 100, &d), 0);
	assert_string_equal(log_, "rrr");
	for (size_t i = 0; i < sizeof(text); i++)
		assert_int_equal(text[i], kept);
	src.ops->close(&src);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_block_status_leaves_out_is_read, setup, cleanup),
		cmocka_unit_test_setup_teardown(
			its_name_is_free_before_the_first_answer, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			a_server_that_takes_one_client_is_enough, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			a_signal_ends_the_wait_for_a_silent_server, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			a_file_that_was_there_stays_as_it_was, setup, cleanup),
		cmocka_unit_test_setup_teardown(
			what_was_flushed_is_not_written_again, setup, cleanup),
		cmocka_unit_test_setup_teardown(
			a_server_without_what_it_had_flushed_is_refused, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			a_hash_survives_an_outage_as_it_is_read, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			one_that_always_dies_at_a_write_is_given_up, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			nor_is_one_waited_for_that_answers_nothing_else, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			without_flush_all_is_written_again, setup, cleanup),
		cmocka_unit_test_setup_teardown(
			the_piece_at_which_it_hangs_up_is_named, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			only_what_it_hangs_up_at_is_skipped, setup, cleanup),
		cmocka_unit_test_setup_teardown(so_is_a_piece_before_any_answer,
						setup, cleanup),
		cmocka_unit_test_setup_teardown(
			without_patience_the_copy_fails_at_once, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			a_server_that_never_answered_is_not_waited_for, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			a_suspend_is_no_part_of_an_outage, setup, cleanup),
		cmocka_unit_test_setup_teardown(
			zeroes_that_are_too_many_are_written_in_pieces, setup,
			cleanup),
		cmocka_unit_test_setup_teardown(
			pieces_are_whole_blocks_of_both_sides, setup, cleanup),
		cmocka_unit_test_setup_teardown(a_slow_server_is_not_silent,
						setup, cleanup),
		cmocka_unit_test_setup_teardown(
			one_that_hung_up_unasked_wakes_nobody, setup, cleanup),
		cmocka_unit_test_setup_teardown(
			a_peek_asks_for_no_more_than_the_server_takes, setup,
			cleanup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
