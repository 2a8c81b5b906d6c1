/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes the settings of a queue. */
#include "boot/device/tune.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

const char *const device_tunables[] = {
	"max_sectors_kb", "read_ahead_kb", "scheduler", "nr_requests",
	"nomerges",	  "rq_affinity",   NULL,
};

static void path_of(char *path, size_t cap, int index, const char *name)
{
	nbd_fmt(path, cap, "%s/nbd%d/queue/%s", nbdk_sys, index, name);
}

void device_tuned(int index, const char *name, char *value, size_t cap)
{
	char path[128];

	path_of(path, sizeof(path), index, name);
	file_read(AT_FDCWD, path, value, cap);
	value[strcspn(value, "\n")] = '\0';
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

static int set(int index, const char *word, size_t len, struct nbd_diag *d)
{
	const char *name = name_of(word, len);
	char path[128];
	size_t n;

	if (!name)
		return nbd_diag(d, NBD_E_USAGE,
				"%.*s is no setting, such as "
				"read_ahead_kb=1024",
				(int)len, word);
	n = strlen(name) + 1;
	path_of(path, sizeof(path), index, name);
	if (!file_write(AT_FDCWD, path, word + n, len - n))
		return 0;
	return nbd_diag(d, file_error(errno), "nbd%d: %.*s: %s", index,
			(int)len, word, strerror(errno));
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
