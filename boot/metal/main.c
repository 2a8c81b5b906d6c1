/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An example of NBD without an operating system: get a lease, connect, print
 * the SHA-256 of the export, write its last block and read it back.  The last
 * line begins with "passed" or "failed".  An outage of the server is a pause.
 */
#include "port/disk.h"
#include "port/export_same.h"
#include "port/lwip/lwip.h"
#include "port/metal/metal.h"

#include <mbedtls/sha256.h>
#include <string.h>

#define PIECE ((size_t)CONFIG_METAL_PIECE)
#define DEPTH CONFIG_METAL_DEPTH

#define LEASE_MS   60000
#define SILENCE_MS 30000 /* of a server that owes an answer, until it is dead */
/* ms between attempts to connect: the first pause, and the longest. */
#define RETRY_MIN  250
#define RETRY_MAX  4000
#define CLOSE_MS   1000

/* Bytes that are written, unless the export's minimum block size is larger. */
#define BLOCK 512u

/* A read, and its part of the export. */
struct piece {
	struct nbd_disk_op op;
	struct nbd_iov v;
	bool done;
	unsigned char buf[PIECE];
};

/* All the memory of the network stack, and of the program but its stack. */
static struct lwnet network;
static struct program {
	struct nbd_uri uri;
	struct nbd_disk_config cfg;
	struct nbd_disk disk;
	unsigned reconnects; /* that were reported */
	size_t step; /* bytes of a read: PIECE, or what the server takes */
	struct nbd_diag d;
	mbedtls_sha256_context sha;
	char text[METAL_SETTINGS_MAX]; /* the strings of uri */
	struct piece pieces[DEPTH];
} program;

/* ---- the disk ---- */

/* Returns when there is a connection, or none would help. */
static int connect(struct program *p)
{
	struct nbd_retry retry = { .min = RETRY_MIN, .max = RETRY_MAX };
	uint64_t next;
	int err;

	nbd_retry_begin(&retry);
	while ((err = nbd_disk_open(&p->disk, &p->cfg)) != 0) {
		p->d = p->disk.d;
		if (!nbd_err_is_outage(err))
			return err;
		metal_say("waiting: %s", p->d.text);
		next = nbd_now_ms() + nbd_retry_pause(&retry);
		while (nbd_now_ms() < next)
			lwnet_wait(&network, (int)(next - nbd_now_ms()));
	}
	/* of whole blocks; no server takes less than 512 bytes */
	p->step = nbd_export_max(&p->disk.export) & ~511u;
	if (p->step > PIECE)
		p->step = PIECE;
	metal_say("connected: %llu bytes",
		  (unsigned long long)p->disk.export.size);
	return 0;
}

static int explain(struct program *p, const struct nbd_disk_op *op)
{
	static const char *const verbs[] = { [NBD_CMD_READ] = "read",
					     [NBD_CMD_WRITE] = "write",
					     [NBD_CMD_FLUSH] = "flush" };

	return nbd_diag(&p->d, op->result < 0 ? op->result : NBD_E_IO,
			"%s of %u bytes at offset %llu: %s", verbs[op->op.type],
			(unsigned)op->op.len, (unsigned long long)op->op.offset,
			nbd_result_text(op->result));
}

/* The next request that is done; one is in flight. */
static int finish(struct program *p, struct nbd_disk_op **op)
{
	do {
		*op = nbd_disk_wait(&p->disk, SILENCE_MS);
	} while (!*op);
	if (p->disk.reconnects != p->reconnects)
		metal_say("connected again");
	p->reconnects = p->disk.reconnects;
	return (*op)->result ? explain(p, *op) : 0;
}

static int request(struct program *p, unsigned type, uint64_t offset, void *buf,
		   size_t len)
{
	struct nbd_iov v = { buf, len };
	struct nbd_disk_op op = { .op = { .type = (uint16_t)type,
					  .offset = offset,
					  .len = len,
					  .iov = &v,
					  .n_iov = len ? 1 : 0 } },
			   *done;

	nbd_disk_add(&p->disk, &op);
	return finish(p, &done);
}

/* ---- what the program does ---- */

static void say_sha256(const char *what, const unsigned char sum[32])
{
	char hex[65];

	for (unsigned i = 0; i < 32; i++)
		nbd_fmt(hex + 2 * i, 3, "%02x", sum[i]);
	metal_say("sha256 of %s: %s", what, hex);
}

static void read_piece(struct program *p, struct piece *piece, uint64_t offset)
{
	uint64_t rest = p->disk.export.size - offset;
	size_t len = rest < p->step ? (size_t)rest : p->step;

	piece->done = false;
	piece->v = (struct nbd_iov){ piece->buf, len };
	piece->op = (struct nbd_disk_op){ .op = { .type = NBD_CMD_READ,
						  .offset = offset,
						  .len = len,
						  .iov = &piece->v,
						  .n_iov = 1 },
					  .user = piece };
	nbd_disk_add(&p->disk, &piece->op);
}

/* Hashes a piece, and reports the progress at each quarter of the export. */
static void take_piece(struct program *p, const struct piece *piece)
{
	uint64_t quarter = (p->disk.export.size + 3) / 4;
	uint64_t begin = piece->op.op.offset, end = begin + piece->v.len;

	mbedtls_sha256_update(&p->sha, piece->buf, piece->v.len);
	if (begin / quarter != end / quarter)
		metal_say("read %u %%", (unsigned)(end / quarter) * 25);
}

/* Reads DEPTH pieces at a time, and hashes them in order. */
static int hash(struct program *p, unsigned char sum[32])
{
	uint64_t size = p->disk.export.size, asked = 0, hashed = 0;
	struct nbd_disk_op *op;
	struct piece *next;
	int err;

	mbedtls_sha256_init(&p->sha);
	mbedtls_sha256_starts(&p->sha, 0);
	while (hashed < size) {
		for (; asked < size && asked - hashed < DEPTH * p->step;
		     asked += p->step)
			read_piece(p, &p->pieces[asked / p->step % DEPTH],
				   asked);
		err = finish(p, &op);
		if (err)
			return err;
		((struct piece *)op->user)->done = true;
		next = &p->pieces[hashed / p->step % DEPTH];
		for (; next->done && hashed < asked; hashed += p->step) {
			take_piece(p, next);
			next->done = false;
			next = &p->pieces[(hashed / p->step + 1) % DEPTH];
		}
	}
	mbedtls_sha256_finish(&p->sha, sum);
	say_sha256("the export", sum);
	return 0;
}

/* Writes the last block, with bytes that depend on what was read. */
static int write_block(struct program *p, unsigned char sum[32])
{
	unsigned char *out = p->pieces[0].buf, *in = p->pieces[1].buf;
	size_t len = p->disk.export.min_block > BLOCK ? p->disk.export.min_block
						      : BLOCK;
	uint64_t at;
	int err;

	if (len > PIECE || p->disk.export.size < len)
		return nbd_diag(&p->d, NBD_E_SIZE,
				"no block of %u bytes to write", (unsigned)len);
	at = (p->disk.export.size / len - 1) * len;
	for (size_t i = 0; i < len; i++)
		out[i] = (unsigned char)(sum[i % 32] + i / 32);
	mbedtls_sha256(out, len, sum, 0);
	err = request(p, NBD_CMD_WRITE, at, out, len);
	if (!err && p->disk.export.flags & NBD_FLAG_SEND_FLUSH)
		err = request(p, NBD_CMD_FLUSH, 0, NULL, 0);
	if (!err)
		err = request(p, NBD_CMD_READ, at, in, len);
	if (err)
		return err;
	if (memcmp(in, out, len))
		return nbd_diag(&p->d, NBD_E_IO,
				"what was written at %llu is not what is read",
				(unsigned long long)at);
	metal_say("wrote %u bytes at offset %llu and read them back",
		  (unsigned)len, (unsigned long long)at);
	say_sha256("the block", sum);
	return 0;
}

/* ---- start and end ---- */

static int parse(struct program *p)
{
	const char *text = metal_settings();

	text = text ? text : CONFIG_METAL_URI;
	metal_say("export: %s", text);
	if (nbd_uri_parse(&p->uri, p->text, sizeof(p->text), text))
		return nbd_diag(&p->d, NBD_E_URI, "not an NBD URI: %s",
				p->uri.wrong);
	if (p->uri.tls)
		return nbd_diag(&p->d, NBD_E_URI,
				"this program has no TLS (use nbd://)");
	p->cfg = (struct nbd_disk_config){ .uris = &p->uri,
					   .n_uris = 1,
					   .block = BLOCK,
					   .longest = PIECE,
					   .net = &network.stack,
					   .extra = NBD_BEST_REPLIES,
					   .patience = ~0u, /* weeks */
					   .silence = SILENCE_MS };
	return 0;
}

/*
 * These boards have no source of randomness: the seed differs between machines
 * and between starts, but an attacker on the same network can guess it.
 */
static void make_seed(unsigned char seed[16], const struct nbd_ether *e)
{
	uint64_t now = nbd_now_ns();

	memcpy(seed, &now, sizeof(now));
	memcpy(seed + sizeof(now), e->mac, sizeof(e->mac));
}

static int start_network(struct program *p)
{
	struct lwnet_config c = { .hostname = "nbdboot-metal" };
	struct nbd_ether *e;
	struct nbd_out o;
	struct nbd_ip addr;
	char text[16];
	int err = metal_ether(&e, &p->d);

	if (err)
		return err;
	make_seed(c.seed, e);
	err = lwnet_open(&network, e, &c);
	if (err)
		return nbd_diag(&p->d, err, "lwIP: %s", nbd_err_text(err));
	err = lwnet_up(&network, LEASE_MS, NULL, &p->d);
	if (err)
		return err;
	addr = lwnet_ip(&network);
	o = (struct nbd_out){ .buf = text, .cap = sizeof(text) };
	nbd_put_ip(&o, addr.ip, 4);
	metal_say("address: %.*s", (int)o.len, text);
	return 0;
}

static int work(struct program *p)
{
	unsigned char sum[32];
	int err = connect(p);

	if (err)
		return err;
	err = hash(p, sum);
	if (!err)
		err = write_block(p, sum);
	nbd_disk_close(&p->disk);
	return err;
}

int main(void)
{
	struct program *p = &program;
	int err = parse(p);

	if (!err)
		err = start_network(p);
	if (!err) {
		err = work(p);
		lwnet_close(&network, CLOSE_MS);
	}
	if (err)
		metal_say("failed: %s", p->d.text);
	else
		metal_say("passed");
	return err;
}
