/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracing by files.  A bio of the mapping is what its file system asks for,
 * whether it is answered from RAM or by the server:
 *
 *	block_bio_queue: 253,0 RA 2048 + 8 [systemd]
 */
#include "boot/prefetch/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "port/linux/file.h"

#define HOME	 "/run/nbdboot/trace"
#define INSTANCE "nbdboot"
#define EVENT	 "events/block/block_bio_queue/"
/* KiB for each CPU: about 2000 reads between two looks. */
#define BUFFER	 "128"

static int failed(struct nbd_diag *d, const char *what)
{
	return nbd_diag(d, NBD_E_KERNEL, "trace what is read: %s: %s", what,
			strerror(errno));
}

/* ---- the files ---- */

static int set(int dir, const char *name, const char *value, struct nbd_diag *d)
{
	return file_write(dir, name, value, strlen(value)) ? failed(d, name)
							   : NBD_OK;
}

static unsigned encode(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

/* `dir` is the instance. */
static int begin(int dir, dev_t dev, dev_t below, struct nbd_diag *d)
{
	char filter[128];
	int rc;

	/*
	 * The kernel's own encoding of a device.  A fetch has direct reads, which
	 * are no read-ahead.
	 */
	nbd_fmt(filter, sizeof(filter),
		"(dev == %u && rwbs ~ \"*R*\") || "
		"(dev == %u && rwbs ~ \"*RA*\")",
		encode(dev), encode(below ? below : dev));
	rc = set(dir, "buffer_size_kb", BUFFER, d);
	/* the name of the process, which may be anything, comes last */
	if (!rc)
		rc = set(dir, "trace_options", "nocontext-info", d);
	if (!rc)
		rc = set(dir, EVENT "filter", filter, d);
	/* what an earlier instance has left is not of this boot */
	if (!rc)
		rc = set(dir, "trace", "", d);
	return rc ? rc : set(dir, EVENT "enable", "1", d);
}

static void end(int dir)
{
	file_write(dir, EVENT "enable", "0", 1);
}

static int open_instance(struct prefetch_trace *t, dev_t dev, dev_t below,
			 struct nbd_diag *d)
{
	int dir, rc;

	t->instances = open(HOME "/instances", O_PATH | O_CLOEXEC);
	if (t->instances < 0)
		return failed(d, "instances");
	if (mkdirat(t->instances, INSTANCE, 0700) && errno != EEXIST)
		return failed(d, "an instance");
	dir = openat(t->instances, INSTANCE, O_PATH | O_CLOEXEC);
	if (dir < 0)
		return failed(d, "an instance");
	rc = begin(dir, dev, below, d);
	t->pipe = rc ? -1
		     : openat(dir, "trace_pipe",
			      O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (!rc && t->pipe < 0)
		rc = failed(d, "trace_pipe");
	if (rc)
		end(dir);
	close(dir);
	return rc;
}

int prefetch_trace_open(struct prefetch_trace *t, const char *dev, dev_t below,
			struct nbd_diag *d)
{
	struct stat st;
	int rc;

	t->pipe = t->instances = -1;
	t->len = 0;
	if (stat(dev, &st))
		return failed(d, dev);
	mkdir("/run/nbdboot", 0755);
	mkdir(HOME, 0700);
	rc = mount("tracefs", HOME, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		   NULL)
		     ? failed(d, "mount tracefs (CONFIG_TRACING)")
		     : open_instance(t, st.st_rdev, below, d);
	umount2(HOME, MNT_DETACH);
	rmdir(HOME);
	if (rc)
		prefetch_trace_close(t);
	return rc;
}

void prefetch_trace_close(struct prefetch_trace *t)
{
	int dir;

	if (t->pipe >= 0)
		close(t->pipe);
	if (t->instances >= 0) {
		dir = openat(t->instances, INSTANCE, O_PATH | O_CLOEXEC);
		if (dir >= 0) {
			end(dir);
			close(dir);
		}
		/* with its buffers */
		unlinkat(t->instances, INSTANCE, AT_REMOVEDIR);
		close(t->instances);
	}
	t->pipe = t->instances = -1;
}

/* ---- the lines ---- */

/* The number at *p, which a blank ends. */
static bool number(const char **p, uint64_t *n)
{
	return nbd_take_number(p, *p + strlen(*p), PREFETCH_DISK, n) &&
	       *(*p)++ == ' ';
}

/* Is it the line of a read?  Others are about events that were lost. */
static bool parse(const char *p, uint64_t *start, uint64_t *len)
{
	static const char name[] = "block_bio_queue: ";

	if (strncmp(p, name, sizeof(name) - 1) != 0)
		return false;
	p += sizeof(name) - 1;
	/* the device, and what is done with it */
	for (unsigned i = 0; i < 2; i++) {
		p += strcspn(p, " ");
		if (!*p++)
			return false;
	}
	if (!number(&p, start) || strncmp(p, "+ ", 2) != 0)
		return false;
	p += 2;
	return number(&p, len);
}

unsigned prefetch_trace_take(struct prefetch_trace *t, struct prefetch_list *l,
			     const char *text, size_t len)
{
	uint64_t start, sectors;
	unsigned n = 0;

	for (; len; text++, len--) {
		if (*text != '\n') {
			/* of a line that is too long the end is dropped */
			if (t->len < sizeof(t->buf) - 1)
				t->buf[t->len++] = *text;
			continue;
		}
		t->buf[t->len] = '\0';
		t->len = 0;
		if (!parse(t->buf, &start, &sectors) || start < t->skip)
			continue;
		prefetch_add(l, start - t->skip, sectors);
		n++;
	}
	return n;
}

unsigned prefetch_trace_read(struct prefetch_trace *t, struct prefetch_list *l)
{
	unsigned n = 0;
	char text[4096];
	ssize_t got;

	while (t->pipe >= 0 && (got = read(t->pipe, text, sizeof(text))) > 0)
		n += prefetch_trace_take(t, l, text, (size_t)got);
	return n;
}
