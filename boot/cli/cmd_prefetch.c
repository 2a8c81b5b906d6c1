/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot prefetch: lists of what a boot reads of its root. */
#include "boot/cli/cli.h"
#include "boot/system/harden.h"
#include "boot/init/prefetch.h"
#include "boot/mapper/mapper.h"
#include "boot/prefetch/learn.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"
#include "port/posix/open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LEARNT	"/run/" PREFETCH_LEARNT
#define STOP	"/run/" PREFETCH_STOP
#define LOCK	"/run/" PREFETCH_LOCK
/* ms for the process to end, and between two looks. */
#define STOP_MS 30000
#define LOOK_MS 50

static int read_list(struct prefetch_list *l, const char *name,
		     struct nbd_diag *d)
{
	const char *why;
	struct stat st;
	int fd = open_plain(name, &st, &why);

	return fd < 0 ? nbd_diag(d, NBD_E_NOT_FOUND, "%s: %s", name, why)
		      : init_prefetch_read(l, fd, name, d);
}

static int show(struct cli_call *call, struct prefetch_list l[2])
{
	const char *name = call->words[1] ? call->words[1] : LEARNT;
	int rc = read_list(l, name, &call->d);

	if (rc)
		return rc;
	cli_putf("image    %s\nsize     ", l->image);
	cli_put_size(l->sectors * 512);
	cli_putf("\nextents  %u\nto fetch ", l->n);
	cli_put_size(prefetch_sum(l) * 512);
	cli_putf("\n");
	return CLI_OK;
}

/* check FILE DEVICE */
static int check(struct cli_call *call, struct prefetch_list l[2])
{
	const char *dev = call->words[1] ? call->words[2] : NULL;
	char image[64];
	off_t size;
	int fd, rc;

	if (!dev)
		return cli_usage("prefetch", "check takes FILE DEVICE");
	rc = read_list(l, call->words[1], &call->d);
	if (rc)
		return rc;
	fd = open(dev, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (size < 0) {
		rc = nbd_diag(&call->d, file_error(errno), "%s: %s", dev,
			      strerror(errno));
	} else {
		init_prefetch_image(image, fd);
		rc = prefetch_is_of(l, image, (uint64_t)size / 512, &call->d);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

/* merge FILE...: to standard output */
static int merge(struct cli_call *call, struct prefetch_list l[2])
{
	char **name = call->words + 1;
	int rc = *name ? read_list(l, *name, &call->d)
		       : cli_usage("prefetch", "merge takes FILE...");

	while (!rc && *++name) {
		rc = read_list(l + 1, *name, &call->d);
		if (!rc)
			rc = prefetch_is_of(l + 1, l->image, l->sectors,
					    &call->d);
		for (unsigned i = 0; !rc && i < l[1].n; i++)
			prefetch_add(l, l[1].e[i].start, l[1].e[i].len);
	}
	if (!rc)
		prefetch_print(l, &cli_out);
	return rc;
}

/* append FILE IMAGE */
static int append(struct cli_call *call, struct prefetch_list l[2])
{
	const char *name = call->words[1] ? call->words[2] : NULL;
	char image[64];
	struct stat st;
	int fd, rc;

	if (!name)
		return cli_usage("prefetch", "append takes FILE IMAGE");
	rc = read_list(l, call->words[1], &call->d);
	if (rc)
		return rc;
	fd = open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return nbd_diag(&call->d, file_error(errno), "%s: %s", name,
				strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		rc = nbd_diag(&call->d, NBD_E_USAGE, "it is not a file");
	} else {
		init_prefetch_image(image, fd);
		rc = init_prefetch_append(l, image, fd, &call->d);
	}
	close(fd);
	return rc ? nbd_diag_prefix(&call->d, rc, "%s", name) : CLI_OK;
}

/* A list that is there stays until the new one is whole. */
static int write_list(const char *to, const struct nbd_out *o)
{
	struct stat st;

	if (lstat(to, &st) || S_ISREG(st.st_mode))
		return file_replace(AT_FDCWD, to, o->buf, o->len);
	return file_write(AT_FDCWD, to, o->buf, o->len);
}

/* save [FILE] */
static int save(struct cli_call *call, struct prefetch_list l[2])
{
	const char *to = call->words[1] ? call->words[1] : PREFETCH_ROOTS;
	/* what it reads is what it writes: the parser is strict */
	static char text[PREFETCH_FILE];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	struct statfs fs;
	int rc = read_list(l, LEARNT, &call->d);

	if (rc)
		return rc;
	if (!statfs("/", &fs) &&
	    (unsigned long)fs.f_type == OVERLAYFS_SUPER_MAGIC &&
	    !call->words[1])
		cli_putf("the root is an overlay: copy the file to the image "
			 "below it\n");
	prefetch_print(l, &o);
	cli_putf("writing %s\n", to);
	cli_flush();
	rc = write_list(to, &o);
	return rc ? nbd_diag(&call->d, rc, "write %s: %s", to, strerror(errno))
		  : CLI_OK;
}

/* Is there a process that looks for STOP?  It may be killed while one waits. */
static bool is_learning(void)
{
	int fd = open(LOCK, O_RDONLY | O_CLOEXEC);
	bool held = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		close(fd);
	return held;
}

/* Nobody will free the RAM, and a mirror may hold writes. */
static int stop_alone(struct cli_call *call)
{
	int n = mapper_mend(false, &call->d);

	if (n > 0)
		cli_putf("the process that frees the RAM was gone: it is freed "
			 "now\n");
	return n < 0 ? n
	       : n   ? CLI_OK
		     : nbd_diag(&call->d, NBD_E_NOT_FOUND,
				"the boot is over already, or nothing was "
				  "fetched");
}

static int stop(struct cli_call *call, struct prefetch_list l[2])
{
	uint64_t end = nbd_now_ms() + STOP_MS;
	bool asked = is_learning();

	(void)l;
	if (asked && file_write(AT_FDCWD, STOP, "", 0))
		return nbd_diag(&call->d, NBD_E_PERM, "write " STOP ": %s",
				strerror(errno));
	while (is_learning() && !access(STOP, F_OK))
		if (nbd_now_ms() >= end || poll(NULL, 0, LOOK_MS)) {
			unlink(STOP);
			return nbd_diag(&call->d, NBD_E_TIMEOUT,
					"it has not stopped: the server does "
					"not answer");
		}
	/* removed by the one that has stopped */
	return asked && unlink(STOP) ? CLI_OK : stop_alone(call);
}

/* grow nbdN: the mapping is not larger by itself than a partition was at first */
static int grow(struct cli_call *call, struct prefetch_list l[2])
{
	const char *name = call->words[1];
	int index = name ? nbdk_parse_name(name) : -1, dev, run, rc;

	(void)l;
	if (index < 0)
		return cli_usage("prefetch", CLI_NO_DEVICE,
				 name ? name : "\"\"");
	call->subject = name;
	dev = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	run = file_run();
	rc = mapper_grow(dev, run, index, &call->d);
	close(dev);
	close(run);
	if (rc == NBD_E_AGAIN)
		return nbd_diag(&call->d, rc,
				"its boot is not over (`nbdboot prefetch stop` "
				"ends it)");
	return rc;
}

/* learn nbdN [DEVICE]: init starts it; DEVICE is the root, if nothing maps it */
static int learn(struct cli_call *call, struct prefetch_list l[2])
{
	static struct prefetch_learn learn;
	const char *name = call->words[1];
	int index = name ? nbdk_parse_name(name) : -1, rc;

	(void)l;
	if (index < 0)
		return cli_usage("prefetch", CLI_NO_DEVICE, name ? name : "");
	boot_small_pages();
	learn.name_image = init_prefetch_image;
	rc = prefetch_learn_begin(&learn, index, call->words[2], &call->d);
	return rc ? rc : prefetch_learn_run(&learn, &call->d);
}

static int run(struct cli_call *call)
{
	static const struct {
		const char *name;
		int (*run)(struct cli_call *call, struct prefetch_list l[2]);
		unsigned most; /* words behind it */
	} verbs[] = { { "show", show, 1 },	   { "check", check, 2 },
		      { "merge", merge, CLI_ANY }, { "save", save, 1 },
		      { "append", append, 2 },	   { "stop", stop, 0 },
		      { "grow", grow, 1 },	   { "learn", learn, 2 } };
	/* 64 KiB each: too large for a stack */
	static struct prefetch_list lists[2];

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(call->words[0], verbs[i].name) != 0)
			continue;
		if (cli_extra("prefetch", call->words + 1, verbs[i].most))
			return CLI_USAGE;
		return verbs[i].run(call, lists);
	}
	return cli_usage("prefetch",
			 "%s is not show, check, merge, save, append, stop, "
			 "grow",
			 call->words[0]);
}

const struct command cmd_prefetch = {
	.name = "prefetch",
	.group = CLI_PREFETCH,
	.summary = "lists of what a boot reads, for servers far away",
	.help = "show [FILE]        what a list holds (that of this boot)\n"
		"check FILE DEVICE  is it one of the image on this device?\n"
		"merge FILE...      one list of several, on standard output\n"
		"save [FILE]        the list of this boot, into the root\n"
		"append FILE IMAGE  put a list behind the data of an image\n"
		"stop               end the boot: write its list, free RAM\n"
		"grow DEVICE        the root's partition is larger: map all of it\n",
	.operands = { 1, CLI_ANY, { "VERB", "FILE" } },
	.run = run,
};
