/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the list of programs, and runs those of a moment. */
#include "boot/init/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "port/linux/file.h"
#include "port/linux/process.h"

/* s: a person who types a passphrase; a program that waits for a switch. */
#define LIMIT_MAX 86400
/* ms between SIGTERM, which lets a terminal be restored, and SIGKILL. */
#define GRACE_MS  5000

/* The moments of this build; layers.h has their values. */
static const char *const moments[] = { "RAID", "LUKS", "LVM" };

struct list {
	char text[INIT_PROGRAMS_MAX];
	char *next; /* the next line */
	unsigned line, programs;
};

struct entry {
	unsigned nr; /* in the file, from 0 */
	const char *moment;
	unsigned limit;			     /* s */
	char *argv[INIT_PROGRAMS_WORDS + 1]; /* NULL at the end */
};

/* Returns 1, 0 if there is no such file, or an error. */
static int read_list(struct list *l, const char *file, struct nbd_diag *d)
{
	int n = file_read(AT_FDCWD, file, l->text, sizeof(l->text));

	l->next = l->text;
	l->line = l->programs = 0;
	if (n == NBD_E_NOT_FOUND)
		return 0;
	if (n < 0)
		return nbd_diag(d, n, "read %s: %s", file, strerror(errno));
	if (n == sizeof(l->text) - 1 || memchr(l->text, '\0', (size_t)n))
		return nbd_diag(d, NBD_E_USAGE,
				"%s: not text of less than %u "
				"bytes",
				file, INIT_PROGRAMS_MAX);
	return 1;
}

/* Cuts the next word off the line *p; NULL: there is none. */
static char *word(char **p)
{
	char *begin = *p + strspn(*p, " \t"), *end;

	end = begin + strcspn(begin, " \t");
	*p = end + (*end != '\0');
	*end = '\0';
	return *begin ? begin : NULL;
}

static const char *parse(struct entry *e, char *line)
{
	size_t i, n = sizeof(moments) / sizeof(moments[0]);
	const char *seconds;
	long limit;

	memset(e, 0, sizeof(*e));
	e->moment = word(&line);
	for (i = 0; i < n && strcmp(moments[i], e->moment) != 0; i++)
		;
	if (i == n)
		return "this build does not know the moment";
	seconds = word(&line);
	limit = seconds ? nbd_number(seconds, 1, LIMIT_MAX) : 0;
	if (limit <= 0)
		return "the second word is no number of seconds";
	e->limit = (unsigned)limit;
	for (i = 0; (e->argv[i] = word(&line)); i++)
		if (i == INIT_PROGRAMS_WORDS)
			return "it has too many words";
	return e->argv[0] && *e->argv[0] == '/' ? NULL
						: "the path of the program is "
						  "missing";
}

/* The next line with a program.  Returns 1, 0 at the end, or NBD_E_USAGE. */
static int next(struct list *l, const char *file, struct entry *e,
		struct nbd_diag *d)
{
	while (*l->next) {
		char *line = l->next, *end = line + strcspn(line, "\n");
		const char *why;

		l->next = end + (*end != '\0');
		*end = '\0';
		l->line++;
		line += strspn(line, " \t");
		if (!*line || *line == '#')
			continue;
		why = l->programs == INIT_PROGRAMS_LINES
			      ? "there are too many programs"
			      : parse(e, line);
		e->nr = l->programs++;
		if (!why)
			return 1;
		nbd_diag(d, NBD_E_USAGE, "%s, line %u: %s", file, l->line, why);
		return NBD_E_USAGE;
	}
	return 0;
}

int init_programs_check(const char *file, struct nbd_diag *d)
{
	struct list l;
	struct entry e;
	int rc = read_list(&l, file, d), n = 0;

	if (rc <= 0)
		return rc;
	while ((rc = next(&l, file, &e, d)) > 0)
		n++;
	return rc < 0 ? rc : n;
}

/* ---- the values ---- */

static const char *value(const struct programs_value *v, char letter)
{
	while (v->letter && v->letter != letter)
		v++;
	return v->letter ? v->text : NULL;
}

/* NBD_E_USAGE: a letter has no value. */
static int put(struct nbd_out *o, const char *word,
	       const struct programs_value *values)
{
	for (; *word; word++) {
		const char *text;

		if (*word != '%') {
			nbd_put(o, word, 1);
			continue;
		}
		word++;
		text = *word == '%' ? "%" : value(values, *word);
		if (!text)
			return NBD_E_USAGE;
		nbd_put(o, text, strlen(text));
	}
	return NBD_OK;
}

/* Replaces the arguments by those with values, in text. */
static int fill(struct entry *e, const struct programs_value *values,
		struct nbd_out *o, struct nbd_diag *d)
{
	size_t to = 1;

	for (size_t i = 1; e->argv[i]; i++) {
		const char *word = e->argv[i];
		char *begin = o->buf + o->len;

		if (put(o, word, values))
			return nbd_diag(d, NBD_E_USAGE, "%s: no value for %s",
					e->argv[0], word);
		if (o->buf + o->len == begin && !o->cut)
			continue;
		e->argv[to++] = begin;
		nbd_put(o, "", 1);
		if (o->cut)
			return nbd_diag(d, NBD_E_NO_MEMORY,
					"%s: the arguments are too long",
					e->argv[0]);
	}
	e->argv[to] = NULL;
	return NBD_OK;
}

/* ---- the programs ---- */

/* `report` gets the errno of a program that cannot be started. */
static _Noreturn void become(char *const argv[], const sigset_t *signals,
			     int report)
{
	char *env[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/",
			"TERM=linux", "LVM_SUPPRESS_FD_WARNINGS=1", NULL };

	setsid();
	sigprocmask(SIG_SETMASK, signals, NULL);
	execve(argv[0], argv, env);
	(void)!write(report, &errno, sizeof(errno));
	_exit(127);
}

/* Ends it, if it still runs, and what it has started. */
static void end(pid_t pid, bool runs)
{
	if (runs) {
		kill(-pid, SIGTERM);
		process_await(pid, GRACE_MS);
	}
	kill(-pid, SIGKILL);
	if (runs && process_await(pid, GRACE_MS) == NBD_E_TIMEOUT)
		boot_note("process %d cannot be ended", (int)pid);
}

/* The verdict on a status as of wait(2), or an error of process_await(). */
static int judge(const struct entry *e, int status, struct nbd_diag *d)
{
	if (status == NBD_E_TIMEOUT)
		return nbd_diag(d, status, "%s: no end after %u s", e->argv[0],
				e->limit);
	if (status < 0)
		return nbd_diag(d, status, "wait for %s: %s", e->argv[0],
				nbd_err_text(status));
	if (WIFSIGNALED(status))
		return nbd_diag(d, NBD_E_KERNEL, "%s: killed by signal %d",
				e->argv[0], WTERMSIG(status));
	if (WEXITSTATUS(status))
		return nbd_diag(d, NBD_E_KERNEL, "%s: exit status %d",
				e->argv[0], WEXITSTATUS(status));
	return NBD_OK;
}

/* fds: a pipe for become(). */
static int run_for(const struct entry *e, const sigset_t *signals, int fds[2],
		   unsigned ms, struct nbd_diag *d)
{
	int status, rc, why = 0;
	pid_t pid = process_fork();

	if (pid == 0)
		become(e->argv, signals, fds[1]);
	if (pid < 0)
		return nbd_diag(d, NBD_E_NO_MEMORY, "start %s: %s", e->argv[0],
				strerror(errno));
	status = process_await(pid, ms);
	rc = judge(e, status, d);
	if (rc)
		end(pid, status < 0);
	if (rc && read(fds[0], &why, sizeof(why)) == sizeof(why))
		/* also if the file is there, but not its interpreter */
		return nbd_diag(d, NBD_E_NOT_FOUND, "run %s: %s", e->argv[0],
				strerror(why));
	return rc;
}

/* What a program has done to the terminal is undone, as if echo is off. */
static int run(const struct entry *e, const sigset_t *signals, uint32_t *had,
	       struct nbd_diag *d)
{
	unsigned limit = e->limit * 1000;
	uint64_t began = nbd_now_ms(), took;
	struct termios t;
	bool terminal;
	int fds[2], rc;

	if (*had >= limit)
		return nbd_diag(d, NBD_E_TIMEOUT,
				"%s: its %u s are over, so it does not run "
				"again",
				e->argv[0], e->limit);
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return nbd_diag(d, NBD_E_NO_MEMORY, "start %s: %s", e->argv[0],
				strerror(errno));
	terminal = !tcgetattr(0, &t);
	rc = run_for(e, signals, fds, limit - *had, d);
	if (terminal)
		tcsetattr(0, TCSANOW, &t);
	close(fds[0]);
	close(fds[1]);
	took = nbd_now_ms() - began;
	*had += took < limit - *had ? (uint32_t)took : limit - *had;
	return rc;
}

int init_programs_run(const struct programs_call *c, struct nbd_diag *d)
{
	struct programs_had none = { 0 };
	struct programs_had *had = c->had ? c->had : &none;
	struct nbd_diag one;
	struct list l;
	struct entry e;
	int rc = read_list(&l, c->file, d), first = NBD_OK;

	if (rc <= 0)
		return rc;
	while ((rc = next(&l, c->file, &e, d)) > 0) {
		char text[INIT_PROGRAMS_MAX];
		struct nbd_out o = { .buf = text, .cap = sizeof(text) };

		if (strcmp(e.moment, c->moment) != 0)
			continue;
		boot_note("%s: %s", e.moment, e.argv[0]);
		rc = fill(&e, c->values, &o, &one);
		if (!rc)
			rc = run(&e, c->signals, &had->ms[e.nr], &one);
		if (!rc)
			continue;
		boot_say("%s", one.text);
		if (!first) {
			first = rc;
			*d = one;
		}
	}
	return rc < 0 ? rc : first;
}
