/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes the settings of a queue, and the buffers of TCP. */
#include "boot/device/tune.h"
#include "boot/device/limit.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { PATH_CAP = 128 };

#define MAX_SECTORS "max_sectors_kb"

const char *const device_tunables[] = {
	MAX_SECTORS,	"read_ahead_kb", "scheduler", "nr_requests", "nomerges",
	"wbt_lat_usec", "rq_affinity",	 "tcp_rmem",  "tcp_wmem",    NULL,
};

static bool is_tcp(const char *name)
{
	return !memcmp(name, "tcp_", 4);
}

/* TCP's are a smallest, a first and a largest size: the last is the setting. */
static char *last_of(char *value)
{
	char *tab = strrchr(value, '\t');

	return tab ? tab + 1 : value;
}

static void read_value(int index, const char *name, char *path, char *value,
		       size_t cap)
{
	if (is_tcp(name))
		nbd_fmt(path, PATH_CAP, "/proc/sys/net/ipv4/%s", name);
	else
		nbd_fmt(path, PATH_CAP, "%s/nbd%d/queue/%s", nbdk_sys, index,
			name);
	file_read(AT_FDCWD, path, value, cap);
	value[strcspn(value, "\n")] = '\0';
}

void device_tuned(int index, const char *name, char *value, size_t cap)
{
	char path[PATH_CAP], *last;

	read_value(index, name, path, value, cap);
	last = last_of(value);
	memmove(value, last, strlen(last) + 1);
}

/* The known name that the word of len bytes begins with. */
static const char *name_of(const char *word, size_t len)
{
	for (unsigned i = 0; device_tunables[i]; i++) {
		size_t n = strlen(device_tunables[i]);

		if (n + 1 < len && !memcmp(word, device_tunables[i], n) &&
		    word[n] == '=')
			return device_tunables[i];
	}
	return NULL;
}

/* Writes the value of len bytes, after the two that are not set. */
static int write_value(int index, const char *name, const char *value,
		       size_t len)
{
	char path[PATH_CAP], text[128], *at;

	read_value(index, name, path, text, sizeof(text));
	at = last_of(text);
	nbd_fmt(at, sizeof(text) - (size_t)(at - text), "%.*s", (int)len,
		value);
	return file_write(AT_FDCWD, path, text, strlen(text));
}

/*
 * A request that is longer than a server accepts would fail.  The kernel knows
 * more forms of a number, and takes 0 for its own largest size.
 */
static int check_limit(int index, const char *word, size_t len, size_t value,
		       struct nbd_diag *d)
{
	uint64_t max = device_limit_noted(index);
	long kib = nbd_numbern(word + value, len - value, 1, INT32_MAX);
	struct nbdk_info info;

	/* a note about another program's device is an old one */
	if (!max || (kib > 0 && (uint64_t)kib <= max / 1024) ||
	    nbdk_info(index, &info) || !info.backend[0])
		return 0;
	return nbd_diag(d, NBD_E_USAGE,
			"%.*s: the server accepts at most %llu bytes at once, "
			"so the largest value is %llu",
			(int)len, word, (unsigned long long)max,
			(unsigned long long)max / 1024);
}

static int set(int index, const char *word, size_t len, struct nbd_diag *d)
{
	const char *name = name_of(word, len);
	size_t n;
	int err;

	if (!name)
		return nbd_diag(d, NBD_E_USAGE,
				"%.*s is no setting, such as "
				"read_ahead_kb=1024",
				(int)len, word);
	if (index < 0 && !is_tcp(name))
		return 0;
	n = strlen(name) + 1;
	err = strcmp(name, MAX_SECTORS) ? 0
					: check_limit(index, word, len, n, d);
	if (err)
		return err;
	if (!write_value(index, name, word + n, len - n))
		return 0;
	return nbd_diag(d, file_error(errno), "%.*s: %s", (int)len, word,
			strerror(errno));
}

int device_tune(int index, const char *words, struct nbd_diag *d)
{
	int err = 0;

	while (!err && *words) {
		size_t len = strcspn(words, ",");

		err = set(index, words, len, d);
		words += len + (words[len] == ',');
	}
	return err;
}
