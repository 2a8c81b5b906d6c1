/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process that waits until a new image is good.  From the switch of the
 * root on it needs no file but those it holds open.
 */
#include "boot/images/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/system/harden.h"
#include "boot/system/ready.h"
#include "port/linux/file.h"
#include "port/linux/process.h"
#include "port/posix/sock.h"

#define UNITS	"systemd/system/"
#define WANTS	UNITS "multi-user.target.wants/"
#define UNIT	"nbdboot-image.service"
/* ms between two looks at the time, and between two tries to write. */
#define PART_MS 10000
#define SYNC_MS 5000
#define TEXT(s) s, sizeof(s) - 1

/* ---- the file ---- */

static const char *next_line(const char *p)
{
	p = strchr(p, '\n');
	return p ? p + 1 : NULL;
}

const char *images_now(const char *text, const char *name, const char *at,
		       size_t *len)
{
	size_t n = strlen(name);

	for (const char *p = at ? next_line(at) : text; p; p = next_line(p))
		if (!strncmp(p, name, n) && p[n] == ' ') {
			*len = strcspn(p + n + 1, "\n");
			return p + n + 1;
		}
	return NULL;
}

const char *images_now_copy(const char *text, const char *name, char *buf,
			    size_t cap)
{
	size_t len;
	const char *p = images_now(text, name, NULL, &len);

	if (!p || nbd_fmt(buf, cap, "%.*s", (int)len, p) < 0)
		buf[0] = '\0';
	return buf;
}

uint64_t images_now_id(const char *text)
{
	char hex[17];
	const char *p = images_now_copy(text, "id", hex, sizeof(hex));

	return images_take_id(&p);
}

int images_say(const char *word)
{
	/* a pipe that nobody reads would block */
	int fd = open("/run/" IMAGES_SAY, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	int err = fd < 0 || write(fd, word, strlen(word)) < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

/* ---- the process ---- */

struct trial {
	int run, say, panic; /* descriptors; panic < 0: nothing to undo */
	uint64_t id;
	unsigned seconds;
	struct images_keeper keeper;
	struct images_tries tries;
	char now[IMAGES_NOW_MAX];
};

/* To standard error, which is the kernel's log, with its level. */
static void say(char level, const char *what, const struct nbd_diag *d)
{
	char line[700];
	int n = nbd_fmt(line, sizeof(line), "<%c>nbdboot: image: %s%s%s\n",
			level, what, d ? ": " : "", d ? d->text : "");

	if (n > 0 && write(2, line, (size_t)n) < 0)
		errno = 0;
}

/* A unit of the root's systemd says "good" when the system is up. */
static int save_unit(int run)
{
	static const char text[] =
		"[Unit]\n"
		"Description=Keep the image that this machine booted\n"
		"DefaultDependencies=no\n"
		"Requires=boot-complete.target\n"
		"After=boot-complete.target multi-user.target\n"
		"Conflicts=shutdown.target\nBefore=shutdown.target\n"
		"[Service]\nType=oneshot\n"
		"ExecStart=/bin/sh -c 'echo good 1<>/run/" IMAGES_SAY "'\n";
	int rc = file_save(run, UNITS UNIT, TEXT(text));

	mkdirat(run, WANTS, 0755);
	if (!rc && symlinkat("../" UNIT, run, WANTS UNIT) && errno != EEXIST)
		rc = file_error(errno);
	return rc;
}

static int open_all(struct trial *t, struct nbd_diag *d)
{
	char kept[IMAGES_URI], number[12];
	const char *uri;
	long seconds;
	int rc;

	t->run = file_run();
	file_read(t->run, IMAGES_NOW, t->now, sizeof(t->now));
	t->id = images_now_id(t->now);
	seconds = nbd_number(images_now_copy(t->now, "seconds", number,
					     sizeof(number)),
			     1, 86400);
	t->seconds = seconds < 0 ? 86400 : (unsigned)seconds;
	uri = images_now_copy(t->now, "kept", kept, sizeof(kept));
	if (!t->id || !*uri)
		return nbd_diag(d, NBD_E_NOT_FOUND, "no image is on trial");
	rc = images_keeper_open(&t->keeper, strcmp(uri, "efi") ? uri : NULL,
				IMAGES_EFI_DIR, d);
	if (!rc)
		rc = images_keeper_read(&t->keeper, &t->tries, d);
	t->panic =
		images_now_copy(t->now, "panic", number, sizeof(number))[0]
			? open("/proc/sys/kernel/panic", O_WRONLY | O_CLOEXEC)
			: -1;
	unlinkat(t->run, IMAGES_SAY, 0);
	if (!rc && mkfifoat(t->run, IMAGES_SAY, 0600))
		rc = nbd_diag(d, file_error(errno),
			      "make /run/" IMAGES_SAY ": %s", strerror(errno));
	t->say = openat(t->run, IMAGES_SAY, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (!rc && t->say < 0)
		rc = nbd_diag(d, file_error(errno),
			      "open /run/" IMAGES_SAY ": %s", strerror(errno));
	return rc;
}

/* The same file, with another state. */
static void save_state(const struct trial *t, const char *state)
{
	char text[IMAGES_NOW_MAX];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	size_t len = 0;
	const char *p = images_now(t->now, "state", NULL, &len);

	if (!p)
		return;
	nbd_put(&o, t->now, (size_t)(p - t->now));
	nbd_put(&o, state, strlen(state));
	nbd_put(&o, p + len, strlen(p + len));
	file_replace(t->run, IMAGES_NOW, text, o.len);
}

/* As it was before init changed it for the trial. */
static void restore_panic(const struct trial *t)
{
	if (t->panic >= 0 && write(t->panic, "0\n", 2) < 0)
		say('4', "kernel.panic is still 10", NULL);
}

static int write_verdict(struct trial *t, bool good, struct nbd_diag *d)
{
	struct images_tries now;

	/* `nbdboot image forget` may have changed it */
	if (!images_keeper_read(&t->keeper, &now, d))
		t->tries = now;
	if (good)
		images_set_good(&t->tries, t->id);
	else
		images_set_tried(&t->tries, t->id, IMAGES_TRIES);
	return images_keeper_write(&t->keeper, &t->tries, d);
}

/* It is written, however long the server is away. */
static void keep(struct trial *t, bool good)
{
	struct nbd_diag d;
	bool said = false;

	while (write_verdict(t, good, &d)) {
		if (!said)
			say('4', "cannot be kept yet", &d);
		said = true;
		poll(NULL, 0, PART_MS);
	}
	save_state(t, good ? "good" : "left");
	say('5', good ? "it is good" : "it is bad, and left", NULL);
	if (good)
		restore_panic(t);
}

/* The root that comes would say that this image is good. */
static void end(const struct trial *t)
{
	unlinkat(t->run, WANTS UNIT, 0);
	unlinkat(t->run, UNITS UNIT, 0);
	save_state(t, "untracked");
	restore_panic(t);
	say('5', "another root takes its place: it is not tried any longer",
	    NULL);
}

/* Waits for a word, not longer than ms; 0: there is none. */
static char await(const struct trial *t, int ms)
{
	struct pollfd p = { t->say, POLLIN, 0 };
	char word[64];

	if (poll(&p, 1, ms) <= 0 || read(t->say, word, sizeof(word)) <= 0)
		return 0;
	return *word;
}

static _Noreturn void give_up(const struct trial *t)
{
	struct nbd_diag d;
	char line[100];

	nbd_fmt(line, sizeof(line),
		"it was not good in %u s: rebooting (nbdboot.trial=)",
		t->seconds);
	say('2', line, NULL);
	process_sync(SYNC_MS, &d);
	reboot(RB_AUTOBOOT);
	_exit(1);
}

int images_trial(struct nbd_diag *d)
{
	/* pages: too large for a stack; a process that stays */
	static struct trial t;
	/* not nbd_now_ms(), which counts a suspension */
	unsigned left;
	int rc = open_all(&t, d);

	if (rc)
		return rc;
	boot_log_to_kernel();
	/* the files of this root, which say who to ask, are lost at the switch */
	sock_resolve_keep();
	if (save_unit(t.run))
		say('4', "its unit cannot be written: say `nbdboot image good`",
		    NULL);
	boot_harden();
	boot_ready_tell();
	for (left = t.seconds * 1000; left;) {
		int part = left < PART_MS ? (int)left : PART_MS;
		uint64_t begin = nbd_now_ms(), took;
		char word = await(&t, part);

		if (word == 'g' || word == 'b') {
			keep(&t, word == 'g');
			return NBD_OK;
		}
		if (word == 'e') {
			end(&t);
			return NBD_OK;
		}
		took = nbd_now_ms() - begin;
		took = took < (unsigned)part ? took : (unsigned)part;
		left -= (unsigned)took;
	}
	give_up(&t);
}
