/* SPDX-License-Identifier: BSD-2-Clause */
/* Records the times of the boot, and writes them to a file. */
#include "boot/system/times.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "boot/system/host.h"
#include "port/linux/file.h"

/* ACPI 6.5, 5.2.24: ns from the reset to the end of the boot loader. */
#define FIRMWARE "/sys/firmware/acpi/fpdt/boot/exitbootservice_end_ns"

static struct times t;

/* Makes room for a step of that length, unless it is the shortest. */
static bool make_room(int32_t length)
{
	struct times_step *shortest = t.step;

	if (t.n < TIMES_MAX)
		return true;
	for (struct times_step *s = t.step; s < t.step + t.n; s++)
		if (s->end - s->start < shortest->end - shortest->start)
			shortest = s;
	if (shortest->end - shortest->start >= length)
		return false;
	t.n--;
	memmove(shortest, shortest + 1,
		(size_t)(t.step + t.n - shortest) * sizeof(*shortest));
	return true;
}

/*
 * Inserts a step by its start; of two that start together the longer comes
 * first, because it encloses the other.
 */
static void insert(const char *name, int32_t start, int32_t end)
{
	struct times_step *s;

	if (start == end || !make_room(end - start))
		return;
	s = t.step + t.n++;
	for (; s > t.step && (s[-1].start > start ||
			      (s[-1].start == start && s[-1].end < end));
	     s--)
		*s = s[-1];
	nbd_fmt(s->name, sizeof(s->name), "%s", name);
	s->start = start;
	s->end = end;
}

void boot_times_mark(const char *name, uint64_t start)
{
	insert(name, (int32_t)start, (int32_t)nbd_now_ms());
}

void boot_times_span(const char *name, uint64_t start, uint64_t end)
{
	insert(name, (int32_t)start, (int32_t)end);
}

void boot_times_again(const char *from)
{
	static const char tries[] = "failed tries";
	unsigned i;

	for (i = 0; i < t.n; i++)
		if (!strcmp(t.step[i].name, from) ||
		    !strcmp(t.step[i].name, tries))
			break;
	if (i == t.n)
		return;
	t.n = i;
	boot_times_mark(tries, (uint64_t)t.step[i].start);
}

static void take_firmware(void)
{
	uint64_t ns = file_number(AT_FDCWD, FIRMWARE);

	/* an hour or more means a wrong clock */
	if (ns && ns < 3600000000000)
		insert("firmware", -(int32_t)(ns / 1000000), 0);
}

static void flush(struct nbd_out *o)
{
	if (write(o->fd, o->buf, o->len) != (ssize_t)o->len)
		o->cut = true;
	o->len = 0;
}

/* Only characters that need no escape, in JSON or in XML. */
static void put_plain(struct nbd_out *o, const char *key, const char *text)
{
	nbd_putf(o, "\"%s\":\"", key);
	for (; *text && *text != '?'; text++)
		nbd_put(o, boot_times_plain(*text) ? text : "_", 1);
	nbd_putf(o, "\",");
}

static void put_head(struct nbd_out *o, const char *root)
{
	struct utsname u = { .nodename = "" };
	time_t now = time(NULL);
	struct tm tm = { 0 };
	char date[24] = "";

	uname(&u);
	if (gmtime_r(&now, &tm))
		nbd_fmt(date, sizeof(date), "%d-%02d-%02d %02d:%02d UTC",
			tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
			tm.tm_hour, tm.tm_min);
	put_plain(o, "host", boot_host(&u));
	put_plain(o, "root", root);
	put_plain(o, "kernel", u.release);
	put_plain(o, "date", date);
}

void boot_times_write(const char *root)
{
	char buf[256];
	struct nbd_out o = { .buf = buf, .cap = sizeof(buf), .flush = flush };
	const struct times_step *s;

	take_firmware();
	mkdir("/run/nbdboot", 0755);
	o.fd = open(TIMES_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (o.fd < 0)
		return;
	nbd_putf(&o, "{\"unit\":\"ms\",");
	put_head(&o, root);
	nbd_putf(&o, "\"steps\":[");
	for (s = t.step; s < t.step + t.n; s++)
		nbd_putf(&o, "%s\n{\"name\":\"%s\",\"start\":%d,\"end\":%d}",
			 s == t.step ? "" : ",", s->name, s->start, s->end);
	nbd_putf(&o, "]}\n");
	flush(&o);
	close(o.fd);
}
