/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several images, and the way back from a bad one:
 *
 *	list of a server, root=, nbdboot.fallback=
 *	   '--> choose --first try of a new one--> count, keep --> connect ...
 *	           ^                                                  |
 *	           '------ twice: no export, no file system, no init -'
 *
 * A machine that panics or hangs comes here again with the tries of before; one
 * that is up says that its image is good (trial.h).
 */
#include "boot/init/images.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "boot/images/trial.h"
#include "boot/init/layers.h"
#include "boot/root/connect.h"
#include "boot/system/console.h"
#include "boot/words/word.h"
#include "port/linux/file.h"

#define PANIC	  "/proc/sys/kernel/panic"
#define TRIAL_S	  600
/* ms that the server of a new image may be away, if there is another one. */
#define OUTAGE_MS 120000

static struct images {
	struct cmdline cmd; /* of a URI that is not that of root= */
	char text[IMAGES_FILE];
	char part[CMDLINE_MAX]; /* it may be a label */
	struct images_list l;
	uint64_t id[IMAGES_MAX];
	unsigned char failed[IMAGES_MAX]; /* times in this boot */
	bool counted[IMAGES_MAX];	  /* a try of this boot, not over */
	unsigned root;			  /* which of l is root=, or l.n */
	unsigned at;			  /* the one of this try */
	bool known, running, trial, panic;
	bool unkept;	/* a try that is to be kept yet */
	uint64_t since; /* of nbd_now_ms(): an outage of this image; 0: none */
	struct images_keeper keeper;
	struct images_tries tries;
	char kept[IMAGES_URI]; /* "efi", a URI, or "" */
} im;

const struct word init_images_words[] = {
	WORD("nbdboot.images", images, WORD_TEXT, WORD_OURS | WORD_ONCE),
	WORD("nbdboot.fallback", fallback, WORD_TEXT, WORD_OURS | WORD_ONCE),
	WORD("nbdboot.state", images_state, WORD_TEXT, WORD_OURS | WORD_ONCE),
	WORD_RANGE("nbdboot.trial", trial, WORD_OURS | WORD_ONCE, 1, 0),
	WORD_END
};

/* ---- which images there are ---- */

/* Makes im.cmd those words with another server, and parses them. */
static int parse(struct root_spec *r, const struct cmdline *c, const char *uri,
		 struct nbd_diag *d)
{
	im.cmd = *c;
	im.cmd.root = uri;
	im.cmd.netroot = im.cmd.nbdroot = im.cmd.nbddev = im.cmd.boot = NULL;
	im.cmd.nbd_host = im.cmd.agl_server = im.cmd.nbdserver = NULL;
	im.cmd.netboot = im.cmd.archiso_srv = NULL;
	im.cmd.part = im.part[0] ? im.part : NULL;
	return init_layers_parse(r, &im.cmd, true, d);
}

/* An export with a text, which is no root; its values are in b->root. */
static int expand(struct boot *b, const char *word, const char *uri,
		  struct nbd_diag *d)
{
	int rc;

	if (!nbd_is_uri(uri))
		return nbd_diag(d, NBD_E_USAGE, "%s=%s: not nbd://HOST/EXPORT",
				word, uri);
	rc = init_expand_export(&b->root, b, uri, d);
	return rc ? nbd_diag_prefix(d, rc, "%s", word) : NBD_OK;
}

static int read_list(struct boot *b, struct nbd_diag *d)
{
	int rc = expand(b, "nbdboot.images", b->cmd.images, d);

	return rc ? rc
		  : images_text_first(&im.keeper.t, b->root.uri, b->root.uris,
				      im.text, sizeof(im.text), d);
}

/* What proves a server is not for its list to say. */
static int check_proof(const struct cmdline *c, struct nbd_diag *d)
{
	for (unsigned i = 0; c->tls && i < im.l.n; i++)
		if (strchr(im.l.uri[i], '?'))
			return nbd_diag(d, NBD_E_URI,
					"nbdboot.tls=require takes no ? from a "
					"list: %s",
					im.l.uri[i]);
	return NBD_OK;
}

static int take_list(struct boot *b, struct nbd_diag *d)
{
	struct root_env env = { 0 };
	struct root_machine m;
	struct images_machine who;
	int n = read_list(b, d);

	if (n < 0)
		return n;
	root_machine(&m, &env, b->net.state.name);
	who = (struct images_machine){ env.value[ROOT_MAC],
				       env.value[ROOT_UUID] };
	n = images_parse(&im.l, im.text, (size_t)n, &who, d);
	return n ? n : check_proof(&b->cmd, d);
}

static void add(const char *uri)
{
	struct images_list *l = &im.l;

	if (l->n == IMAGES_MAX ||
	    nbd_fmt(l->uri[l->n], sizeof(l->uri[0]), "%s", uri) < 0) {
		boot_say("no image of this machine, as there are too many, or "
			 "as it is too long: %s",
			 uri);
		return;
	}
	l->rev[l->n++][0] = '\0';
}

static int take_fallback(void *ctx, const char *name, const char *value,
			 struct nbd_diag *d)
{
	(void)ctx;
	(void)d;
	if (value && boot_words_same(name, "nbdboot.fallback"))
		add(value);
	return NBD_OK;
}

/* root= may be any form, or DHCP's: its id is that of what it means. */
static void take_root(struct boot *b)
{
	const struct net_state *net = &b->net.state;
	struct root_env env = init_root_env(b);
	struct root_machine m;
	struct nbd_diag d;
	struct nbd_out o = { .buf = im.text, .cap = IMAGES_URI - 1 };
	char uri[IMAGES_URI];

	/* the id is of the URIs in their order */
	env.first = 0;
	root_machine(&m, &env, net->name);
	if (root_expand(&b->root, &b->spec, &env, &d))
		b->root.uris = 0;
	for (unsigned i = 0; i < b->root.uris; i++)
		if (nbd_uri_print(&b->root.uri[i], uri, sizeof(uri)) >= 0)
			nbd_putf(&o, "%s%s", i ? "," : "", uri);
	im.text[o.len] = '\0';
	im.root = im.l.n;
	if (o.len)
		add(im.text);
	else
		im.root = IMAGES_MAX;
}

static int collect(struct boot *b, struct nbd_diag *d)
{
	char line[CMDLINE_MAX];
	int rc;

	im.l.n = 0;
	rc = b->cmd.images ? take_list(b, d) : NBD_OK;

	if (nbd_err_is_outage(rc))
		return rc;
	/* a machine that boots is worth more than a list */
	if (rc) {
		boot_say("the list of images has no effect: %s", d->text);
		im.l.n = 0;
	}
	take_root(b);
	memcpy(line, b->cmd.line, sizeof(line));
	boot_cmdline_each(line, take_fallback, NULL, NULL);
	for (unsigned i = 0; i < im.l.n; i++)
		im.id[i] = images_id(im.l.uri[i], im.l.rev[i]);
	im.known = true;
	return NBD_OK;
}

/* ---- what is kept of them ---- */

static int open_keeper(struct nbd_diag *d)
{
	return images_keeper_open(&im.keeper,
				  strcmp(im.kept, "efi") ? im.kept : NULL,
				  IMAGES_EFI_DIR, d);
}

static int read_tries(struct boot *b, struct nbd_diag *d)
{
	const char *word = b->cmd.images_state;
	int rc = word ? expand(b, "nbdboot.state", word, d) : NBD_OK;

	nbd_fmt(im.kept, sizeof(im.kept), "efi");
	if (!rc && word)
		rc = nbd_uri_print(&b->root.uri[0], im.kept, sizeof(im.kept)) <
				     0
			     ? NBD_E_USAGE
			     : NBD_OK;
	if (!rc)
		rc = open_keeper(d);
	if (!rc)
		rc = images_keeper_read(&im.keeper, &im.tries, d);
	images_keeper_close(&im.keeper);
	if (!rc && d->text[0])
		boot_say("%s", d->text);
	if (!rc || nbd_err_is_outage(rc))
		return rc;
	im.kept[0] = '\0';
	boot_say("an image that panics or hangs will not be left, as nothing "
		 "can be kept of it: %s%s",
		 d->text, word ? "" : " (nbdboot.state= names a place)");
	return NBD_OK;
}

static int write_tries(struct nbd_diag *d)
{
	int rc = im.kept[0] ? open_keeper(d) : NBD_OK;

	if (!rc && im.kept[0])
		rc = images_keeper_write(&im.keeper, &im.tries, d);
	images_keeper_close(&im.keeper);
	if (!rc || nbd_err_is_outage(rc))
		return rc;
	im.kept[0] = '\0';
	boot_say("cannot keep the tries of images: %s", d->text);
	return NBD_OK;
}

/* ---- the choice ---- */

static bool is_good(unsigned i)
{
	return im.id[i] == im.tries.good;
}

/* For this boot, and whoever asks later. */
static void save_now(int seconds)
{
	struct nbd_out o = { .buf = im.text, .cap = IMAGES_NOW_MAX - 1 };
	int run = file_run();

	nbd_putf(&o, "image %s\nid %08x%08x\nstate %s\nkept %s\nseconds %d\n",
		 im.l.uri[im.at], (unsigned)(im.id[im.at] >> 32),
		 (unsigned)im.id[im.at],
		 im.trial	  ? "trial"
		 : is_good(im.at) ? "good"
				  : "untracked",
		 im.kept, seconds ? seconds : TRIAL_S);
	if (im.panic)
		nbd_putf(&o, "panic 0\n");
	for (unsigned i = 0; i < im.at; i++)
		nbd_putf(&o, "left %s\n", im.l.uri[i]);
	file_replace(run, IMAGES_NOW, im.text, o.len);
	if (run >= 0)
		close(run);
}

/* A kernel that panics has to come back: during a trial, for another image. */
static void reboot_after_panic(void)
{
	char text[16];

	if (!im.trial && im.panic)
		im.panic = file_write(AT_FDCWD, PANIC, "0\n", 2);
	if (!im.trial)
		return;
	if (im.panic || file_read(AT_FDCWD, PANIC, text, sizeof(text)) <= 0 ||
	    strcmp(text, "0\n") != 0)
		return;
	im.panic = !file_write(AT_FDCWD, PANIC, "10\n", 3);
}

static void explain(void)
{
	const struct images_list *l = &im.l;

	for (unsigned i = 0; i < im.at; i++) {
		unsigned times = images_tried(&im.tries, im.id[i]);

		if (im.failed[i] >= IMAGES_TRIES)
			continue; /* that was said */
		boot_say("image %s is left: it was booted %u times, and never "
			 "was good",
			 l->uri[i], times);
	}
	boot_say("image %s%s", l->uri[im.at],
		 im.trial	  ? " is tried"
		 : is_good(im.at) ? ", which was good before"
				  : "");
}

static int count_try(struct nbd_diag *d)
{
	uint64_t id = im.id[im.at];
	int rc;

	if (im.trial && !im.counted[im.at]) {
		images_set_tried(&im.tries, id,
				 images_tried(&im.tries, id) + 1);
		im.counted[im.at] = im.unkept = true;
	}
	if (im.unkept && (rc = write_tries(d)))
		return rc;
	im.unkept = false;
	/* a try that is not kept would be made for ever */
	im.trial = im.trial && im.kept[0];
	reboot_after_panic();
	return NBD_OK;
}

static int use(struct boot *b, struct nbd_diag *d)
{
	int rc = im.at == im.root
			 ? init_layers_parse(&b->spec, &b->cmd, true, d)
			 : parse(&b->spec, &b->cmd, im.l.uri[im.at], d);

	/* as the command line, which was parsed into it before */
	b->spec.read_only |= USR_IN_RAM(&b->usr);
	return rc;
}

static int do_images(struct boot *b, struct nbd_diag *d)
{
	const struct cmdline *c = &b->cmd;
	unsigned before = im.at;
	bool first = !im.known;
	int rc;

	if (!c->images && !c->fallback)
		return NBD_OK;
	d->text[0] = '\0';
	if (first && b->spec.part)
		nbd_fmt(im.part, sizeof(im.part), "%s", b->spec.part);
	rc = first ? collect(b, d) : NBD_OK;
	if (!rc && first && im.l.n > 1)
		rc = read_tries(b, d);
	if (rc) {
		im.known = false;
		return rc;
	}
	if (!im.l.n)
		return NBD_OK; /* connect says that DHCP names no server */
	im.at = images_choose(&im.tries, im.id, im.counted, im.failed, im.l.n);
	im.trial = im.l.n > 1 && im.kept[0] && !is_good(im.at) &&
		   (im.counted[im.at] ||
		    images_tried(&im.tries, im.id[im.at]) < IMAGES_TRIES);
	if (im.at != before)
		im.since = 0;
	if (first || im.at != before)
		explain();
	rc = count_try(d);
	if (rc)
		return rc;
	im.running = true;
	save_now(c->trial);
	return use(b, d);
}

/* ---- failures ---- */

/* Of a server that is away: true when it was for long enough. */
static bool is_over(void)
{
	uint64_t now = nbd_now_ms();

	if (!im.since)
		im.since = now;
	return im.trial && now - im.since >= OUTAGE_MS;
}

static bool all_failed(void)
{
	for (unsigned i = 0; i < im.l.n; i++)
		if (im.failed[i] < IMAGES_TRIES)
			return false;
	memset(im.failed, 0, sizeof(im.failed));
	return true;
}

bool init_images_failed(const struct boot *b, const struct step *s, int err)
{
	struct nbd_diag d;
	bool outage = nbd_err_is_outage(err);

	(void)b;
	/* the export of an overlay is no part of an image */
	if (!im.running || im.l.n < 2 || !strcmp(s->name, "overlay"))
		return false;
	im.running = false;
	if (!outage)
		im.since = 0;
	else if (!is_over())
		return false;
	im.failed[im.at] = outage ? IMAGES_TRIES
				  : (unsigned char)(im.failed[im.at] + 1);
	if (im.failed[im.at] < IMAGES_TRIES)
		return true;
	boot_say("image %s is left: %s", im.l.uri[im.at],
		 outage ? "its server is away" : "it cannot be booted");
	if (im.trial && !outage) {
		im.counted[im.at] = false;
		images_set_tried(&im.tries, im.id[im.at], IMAGES_TRIES);
		if (write_tries(&d))
			boot_say("cannot keep the tries of images: %s", d.text);
	}
	return !all_failed();
}

/* ---- the process that waits until it is good ---- */

static int do_trial(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (im.trial)
		init_spawn_start(&b->trial, "image", "trial", -1, &b->by);
	return NBD_OK;
}

static int do_ready(struct boot *b, struct nbd_diag *d)
{
	(void)d;
	if (b->trial.pid && !init_spawn_ready(&b->trial))
		boot_say("nobody waits until the image is good: it is tried "
			 "again at the next boot, and then left");
	return NBD_OK;
}

const struct step init_images_step = {
	.name = "images",
	.run = do_images,
	.hint = "check nbdboot.images=, nbdboot.fallback= and nbdboot.state=",
};

const struct step init_images_trial_step = {
	.name = "trial",
	.run = do_trial,
	.process = offsetof(struct boot, trial),
	.hint = "",
};

const struct step init_images_ready_step = {
	.name = "trial ready",
	.run = do_ready,
	.hint = "",
};
