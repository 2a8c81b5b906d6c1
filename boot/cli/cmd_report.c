/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot report: what a report of a bug needs, in one text.  It has the paths
 * of keys, and never what is in them.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "boot/cli/cli.h"
#include "boot/system/times.h"
#include "boot/words/version.h"
#include "boot/words/word.h"
#include "boot/device/tune.h"
#include "boot/images/trial.h"
#include "boot/prefetch/seen.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

struct report {
	bool json;
	unsigned lines; /* of the section so far */
};

static const struct cli_option options[] = {
	{ "json", 0, NULL, "print an object", CLI_FIELD(struct report, json) },
	{ 0 },
};

/* A section is a list of lines. */
static void begin(struct report *r, const char *name)
{
	cli_putf(r->json ? ",\n\"%s\": [" : "\n== %s ==\n", name);
	r->lines = 0;
}

static void end(const struct report *r)
{
	cli_putf(r->json ? "]" : "");
}

static void put_line(struct report *r, const char *p, size_t len)
{
	if (!r->json) {
		nbd_put_safe(&cli_out, p, len);
		cli_putf("\n");
		return;
	}
	cli_putf(r->lines++ ? ",\n  " : "\n  ");
	nbd_put_json(&cli_out, p, len);
}

static void put_file(struct report *r, const char *path)
{
	char text[8192];
	int n = file_read(AT_FDCWD, path, text, sizeof(text));

	for (char *p = text; n > 0 && *p;) {
		size_t len = strcspn(p, "\n");

		put_line(r, p, len);
		p += len + (p[len] == '\n');
	}
}

/* ---- the sections ---- */

static void put_versions(struct report *r)
{
	struct utsname u = { .release = "" };
	char line[256];
	int n;

	uname(&u);
	n = nbd_fmt(line, sizeof(line), "nbdboot %s, Linux %s %s", boot_version,
		    u.release, u.machine);
	put_line(r, line, n > 0 ? (size_t)n : strlen(line));
	put_file(r, "/sys/module/nbd/version");
	put_file(r, "/sys/module/nbd/parameters/nbds_max");
}

/*
 * The password of a root that is none of ours, such as iscsi:USER:PASSWORD@HOST
 * or cifs://USER:PASSWORD@HOST/SHARE, begins behind the scheme and ends at the
 * last @.  Returns that, or NULL.
 */
static const char *secret_end(const char *value)
{
	return strncasecmp(value, "nbd", 3) != 0 && strchr(value, ':')
		       ? strrchr(value, '@')
		       : NULL;
}

/* Bytes of the options of a mount until a secret: pass=, password2=, secret=. */
static size_t until_secret(const char *value)
{
	const char *at = strstr(value, "pass");

	if (!at)
		at = strstr(value, "secret=");
	return at ? (size_t)(at - value) : strlen(value);
}

/* Words of other programs may be secrets. */
static int put_word(void *ctx, const char *name, const char *value,
		    struct nbd_diag *d)
{
	unsigned scope = boot_words_scope(name, SIZE_MAX);
	const char *text = value ? value : "";
	const char *end = scope & WORD_USER ? secret_end(text) : NULL;
	size_t n = end			  ? strcspn(text, ":")
		   : scope & WORD_OPTIONS ? until_secret(text)
					  : strlen(text);
	char line[CMDLINE_MAX];

	(void)d;
	if (!scope)
		return 0;
	nbd_fmt(line, sizeof(line), "%s%s%.*s%s%s", name, value ? "=" : "",
		(int)n, text,
		end	  ? ":..."
		: text[n] ? "..."
			  : "",
		end ? end : "");
	put_line(ctx, line, strlen(line));
	return 0;
}

static void put_words(struct report *r)
{
	char text[CMDLINE_MAX];

	file_read(AT_FDCWD, "/proc/cmdline", text, sizeof(text));
	boot_cmdline_each(text, put_word, r, NULL);
}

static void put_queues(struct report *r)
{
	char line[256], value[128];
	struct nbdk_iter it = { 0 };
	int index;

	while ((index = nbdk_next(&it)) >= 0)
		for (unsigned i = 0; device_tunables[i]; i++) {
			device_tuned(index, device_tunables[i], value,
				     sizeof(value));
			nbd_fmt(line, sizeof(line), "nbd%d %s=%s", index,
				device_tunables[i], value);
			put_line(r, line, strlen(line));
		}
}

/* A record of /dev/kmsg is "6,1234,5678,-;TEXT\n", and more lines. */
static void put_log(struct report *r)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[8192 + 1], *text; /* the kernel's longest record */
	ssize_t n;

	if (fd < 0)
		return;
	while ((n = read(fd, record, sizeof(record) - 1)) > 0 ||
	       (n < 0 && errno == EPIPE)) {
		/* EPIPE: the kernel has overwritten some, go on with the next */
		if (n < 0)
			continue;
		record[n] = '\0';
		text = strchr(record, ';');
		/* the words of the kernel's own line may be secrets */
		if (text && strstr(text, "nbd") && !strstr(text, "ommand line"))
			put_line(r, text + 1, strcspn(text + 1, "\n"));
	}
	close(fd);
}

/* Another command, in this process. */
static void put_command(const char *name, const char *option)
{
	char *argv[] = { (char *)name, (char *)option, NULL };
	union {
		max_align_t align;
		char bytes[CLI_OPTIONS_MAX];
	} o = { 0 };
	struct cli_call call = { .words = argv,
				 .options = &o,
				 .subject = name };
	const struct command *c = cli_find(name);

	if (c && !cli_parse(c, &call.words, &o))
		c->run(&call);
}

static int run(struct cli_call *call)
{
	struct report *r = call->options;
	static const struct {
		const char *name;
		void (*put)(struct report *r);
	} sections[] = { { "versions", put_versions },
			 { "words", put_words },
			 { "queues", put_queues },
			 { "log", put_log } };

	cli_putf(r->json ? "{\"devices\": " : "== devices ==\n");
	put_command("list", r->json ? "--json" : NULL);
	if (!r->json)
		put_command("status", NULL);
	for (unsigned i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		begin(r, sections[i].name);
		sections[i].put(r);
		end(r);
	}
	begin(r, "prefetch");
	put_file(r, "/run/" PREFETCH_SEEN);
	end(r);
	begin(r, "image");
	put_file(r, "/run/" IMAGES_NOW);
	end(r);
	begin(r, "boot");
	put_file(r, TIMES_FILE);
	end(r);
	cli_putf(r->json ? "}\n" : "");
	return CLI_OK;
}

const struct command cmd_report = {
	.name = "report",
	.group = CLI_LIST,
	.summary = "print what a bug report needs, without secrets",
	.options = options,
	.run = run,
};
