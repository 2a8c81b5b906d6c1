/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machines that boot at once, without their kernels:
 *
 *	storm [-c CA] MACHINES READS URI...
 *
 * Each is a process with one connection, the product's in every respect: its
 * dialer, engine and back-off.  It makes the reads of the file READS (reads.awk)
 * in their order and with their pauses, and then keeps its connection until the
 * last machine is done.  Of several URIs it begins with another one than the
 * machine before it.
 *
 * Prints "begin" when all are there, "half" when half of all bytes have come,
 * "last" when the last machine is done, upon which all stay until a byte comes from
 * standard input, and a line "MS RECONNECTS BYTES" for each machine, or "failed WHY",
 * and "again MS WHY" for each time that one connected again.
 */
#include "port/disk.h"
#include "port/mbedtls/tls.h"
#include "port/posix/sock.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINES 4096
#define READS	 65536
#define DEPTH	 64
#define SERVERS	 4
#define AGAIN	 8

/* ms: a server that is away this long is an outage that nobody outlives. */
#define PATIENCE 600000
#define SILENCE	 60000

static struct read {
	int pause; /* ms; -1: together with the one before it */
	uint32_t len;
	uint64_t offset;
} reads[READS];
static unsigned n_reads;
static uint32_t longest;
static uint64_t total; /* bytes of one machine */

/* Shared by all processes. */
static struct shared {
	atomic_uint ready, done;
	atomic_int begin;
	atomic_ullong bytes;
	uint64_t begun; /* ms */
	struct machine {
		uint64_t ended; /* ms */
		uint64_t bytes;
		unsigned reconnects;
		int err;
		char why[200];
		struct again {
			uint64_t at; /* ms */
			char why[80];
		} again[AGAIN];
	} machines[MACHINES];
} * shared;

static struct nbd_uri uris[SERVERS];
static char texts[SERVERS][1024];
static unsigned n_uris;
static struct tls_session tls;
static const char *ca;
static volatile int stop;

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "storm: %s: %s\n", what, why);
	return 2;
}

static bool load_reads(const char *path)
{
	FILE *f = fopen(path, "r");
	char pause[16];
	unsigned long long offset;
	unsigned len;

	while (f && n_reads < READS &&
	       fscanf(f, "%15s %llu %u", pause, &offset, &len) == 3) {
		reads[n_reads++] =
			(struct read){ *pause == '-' ? -1 : atoi(pause), len,
				       offset };
		total += len;
		if (len > longest)
			longest = len;
	}
	if (f)
		fclose(f);
	return n_reads > 0;
}

/* ---- a machine ---- */

static struct nbd_disk disk;
static struct nbd_disk_op ops[DEPTH];
static struct nbd_iov iovs[DEPTH];
static unsigned char *memory; /* DEPTH times longest */

/* It is connected again: since when, and why it was not. */
static void note_again(struct machine *m)
{
	struct again *a = &m->again[m->reconnects];

	if (disk.reconnects == m->reconnects)
		return;
	m->reconnects = disk.reconnects;
	if (a < m->again + AGAIN) {
		a->at = nbd_now_ms() - shared->begun;
		snprintf(a->why, sizeof(a->why), "%s", disk.d.text);
	}
}

static int wait_one(struct machine *m, unsigned *flying)
{
	struct nbd_disk_op *op = nbd_disk_wait(&disk, 1000);

	note_again(m);
	if (!op)
		return 0;
	--*flying;
	if (op->result)
		return op->result < 0 ? op->result : NBD_E_IO;
	m->bytes += op->op.len;
	atomic_fetch_add(&shared->bytes, op->op.len);
	op->user = NULL;
	return 0;
}

static struct nbd_disk_op *free_op(void)
{
	for (unsigned i = 0; i < DEPTH; i++)
		if (!ops[i].user)
			return &ops[i];
	return NULL;
}

static void add(const struct read *r)
{
	struct nbd_disk_op *op = free_op();
	size_t i = (size_t)(op - ops);

	iovs[i] = (struct nbd_iov){ memory + i * longest, r->len };
	*op = (struct nbd_disk_op){ .op = { .type = NBD_CMD_READ,
					    .offset = r->offset,
					    .len = r->len,
					    .iov = &iovs[i],
					    .n_iov = 1 },
				    .user = &iovs[i] };
	nbd_disk_add(&disk, op);
}

static int replay(struct machine *m)
{
	unsigned flying = 0;
	int err = 0;

	for (unsigned i = 0; i < n_reads && !err; i++) {
		while (!err && flying &&
		       (reads[i].pause >= 0 || flying == DEPTH))
			err = wait_one(m, &flying);
		/* what the machine computes */
		if (!err && reads[i].pause > 0)
			poll(NULL, 0, reads[i].pause);
		if (!err) {
			add(&reads[i]);
			flying++;
		}
	}
	while (!err && flying)
		err = wait_one(m, &flying);
	return err;
}

static int boot(struct machine *m, const struct nbd_disk_config *cfg)
{
	struct nbd_retry retry = { .min = 100,
				   .max = 2000,
				   .patience = PATIENCE };
	int err, ms;

	nbd_retry_begin(&retry);
	while ((err = nbd_disk_open(&disk, cfg)) < 0) {
		ms = nbd_retry_failed(&retry, err);
		if (ms < 0)
			return err;
		poll(NULL, 0, ms);
	}
	return replay(m);
}

static void machine(unsigned i, int go)
{
	struct machine *m = &shared->machines[i];
	struct nbd_uri mine[SERVERS];
	struct nbd_disk_config cfg = { .uris = mine,
				       .n_uris = n_uris,
				       .net = &sock_stack,
				       .extra = NBD_BEST_REPLIES,
				       .stop = &stop,
				       .patience = PATIENCE,
				       .silence = SILENCE };
	char c;

	for (unsigned k = 0; k < n_uris; k++)
		mine[k] = uris[(i + k) % n_uris];
	if (mine[0].tls)
		cfg.tls = &tls.tls;
	memory = malloc((size_t)longest * DEPTH);
	atomic_fetch_add(&shared->ready, 1);
	if (read(go, &c, 1) < 0 || !memory)
		_exit(1);
	m->err = boot(m, &cfg);
	m->ended = nbd_now_ms() - shared->begun;
	note_again(m);
	snprintf(m->why, sizeof(m->why), "%s", disk.d.text);
	atomic_fetch_add(&shared->done, 1);
	/* idle: the parent ends it */
	while (!stop)
		pause();
	_exit(0);
}

/* ---- all of them ---- */

static int watch_all(unsigned n)
{
	bool half = false;

	while (atomic_load(&shared->done) < n) {
		poll(NULL, 0, 10);
		if (!half && atomic_load(&shared->bytes) * 2 >= total * n) {
			half = true;
			puts("half");
			fflush(stdout);
		}
	}
	return 0;
}

static int report(unsigned n)
{
	int status = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct machine *m = &shared->machines[i];

		if (m->err) {
			printf("failed %s\n",
			       *m->why ? m->why : nbd_err_text(m->err));
			status = 1;
			continue;
		}
		printf("%llu %u %llu\n", (unsigned long long)m->ended,
		       m->reconnects, (unsigned long long)m->bytes);
		for (unsigned k = 0; k < m->reconnects && k < AGAIN; k++)
			printf("again %llu %s\n",
			       (unsigned long long)m->again[k].at,
			       m->again[k].why);
	}
	return status;
}

static int storm(unsigned n)
{
	static pid_t pids[MACHINES];
	int go[2], status;

	if (pipe(go))
		return fail("pipe", "failed");
	for (unsigned i = 0; i < n; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(go[1]);
			machine(i, go[0]);
		}
		if (pids[i] < 0)
			return fail("fork", "no more processes");
	}
	close(go[0]);
	while (atomic_load(&shared->ready) < n)
		poll(NULL, 0, 10);
	puts("begin");
	fflush(stdout);
	shared->begun = nbd_now_ms();
	close(go[1]);
	watch_all(n);
	puts("last");
	fflush(stdout);
	getchar();
	for (unsigned i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	while (wait(&status) > 0)
		;
	return report(n);
}

static int load_uris(char *argv[])
{
	struct nbd_diag d = { 0 };
	struct tls_conf conf = { .verify = true, .ca = ca };

	for (; *argv && n_uris < SERVERS; argv++, n_uris++)
		if (nbd_uri_parse(&uris[n_uris], texts[n_uris],
				  sizeof(texts[0]), *argv))
			return fail(*argv, uris[n_uris].wrong);
	if (uris[0].tls &&
	    (tls_load(&tls, &conf, &d) || tls_aim(&tls, uris[0].host, 0, &d)))
		return fail("TLS", d.text);
	return 0;
}

int main(int argc, char *argv[])
{
	unsigned n;

	if (argc > 2 && !strcmp(argv[1], "-c")) {
		ca = argv[2];
		argv += 2;
		argc -= 2;
	}
	n = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
	if (!n || n > MACHINES)
		return fail("usage", "storm [-c CA] MACHINES READS URI...");
	if (!load_reads(argv[2]))
		return fail(argv[2], "no reads");
	if (load_uris(argv + 3))
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared == MAP_FAILED ? fail("mmap", "no memory") : storm(n);
}
