/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words and steps of roothash=:
 *
 *	device -> partition -> [prefetch] -> verity -> mount, overlay
 *
 * and of usrhash=, if /usr is beside a root that is not verified:
 *
 *	device -> partition of /usr -> verity -> mount on /usr
 */
#include "boot/words/word.h"

#include "boot/init/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/init/verity.h"
#include "boot/mapper/mapper.h"
#include "port/linux/file.h"

/* Takes the place of what systemd's generator makes of roothash= or usrhash=. */
#define UNIT "/run/systemd/system/systemd-veritysetup@%s.service"

const struct word init_verifier_words[] = {
	WORD("roothash", roothash, WORD_MAYBE, WORD_ROOT),
	/* that the systemd of the root does not see */
	WORD("rd.roothash", roothash, WORD_MAYBE, WORD_ROOT),
	WORD("usrhash", usrhash, WORD_MAYBE, WORD_ROOT),
	WORD("rd.usrhash", usrhash, WORD_MAYBE, WORD_ROOT),
	WORD("systemd.verity_root_data", verity_data, WORD_MAYBE, WORD_ROOT),
	WORD("systemd.verity_root_hash", verity_hash, WORD_MAYBE, WORD_ROOT),
	WORD("systemd.verity_root_options", verity_options, WORD_MAYBE,
	     WORD_ROOT),
	WORD("nbdboot.verity", verity, WORD_MAYBE, WORD_OURS | WORD_ONCE),
	WORD_END
};

static bool is_name(const char *part)
{
	return part &&
	       (!strncmp(part, "LABEL=", 6) || !strncmp(part, "UUID=", 5));
}

/* Whoever asks for it in any way gets it, or no root. */
static int check(const struct cmdline *c, const struct verity_words *words,
		 const char *part, struct nbd_diag *d)
{
	if (!words->root)
		return nbd_diag(d, NBD_E_USAGE,
				"words of verity, but no %shash=", words->of);
	if (c->usrhash)
		return NBD_OK;
	if (c->write && !c->overlay)
		return nbd_diag(d, NBD_E_USAGE,
				"rw: a verified root cannot be written to "
				"(nbdboot.overlay keeps changes in RAM)");
	if (is_name(part))
		return nbd_diag(
			d, NBD_E_USAGE,
			"%s: a partition that is verified cannot be found by "
			"what is in it (PARTUUID= or PARTLABEL= can)",
			part);
	return NBD_OK;
}

/*
 * The root hash of the initramfs, which may be signed where the kernel command
 * line is not: a word can only repeat it.
 */
static int take_ours(struct boot *b, struct nbd_diag *d)
{
	char *ours = b->roothash;
	int rc = file_read(AT_FDCWD, INIT_ROOTHASH, ours, sizeof(b->roothash));

	if (rc == NBD_E_NOT_FOUND)
		return NBD_OK;
	if (rc < 0)
		return nbd_diag(d, rc, "read " INIT_ROOTHASH ": %s",
				strerror(errno));
	ours[strcspn(ours, "\n")] = '\0';
	if (b->cmd.roothash && strcasecmp(b->cmd.roothash, ours) != 0)
		return nbd_diag(d, NBD_E_USAGE,
				"roothash=%s: this initramfs is for %s",
				b->cmd.roothash, ours);
	b->cmd.roothash = ours;
	return NBD_OK;
}

static struct verity_words words_of(const struct cmdline *c)
{
	if (c->usrhash)
		return (struct verity_words){ "usr",	      c->usrhash,
					      c->usr_data,    c->usr_hash,
					      c->usr_options, c->verity };
	return (struct verity_words){ c->usr_only ? "usr" : "root",
				      c->roothash,
				      c->verity_data,
				      c->verity_hash,
				      c->verity_options,
				      c->verity };
}

static int take_words(struct boot *b, struct nbd_diag *d)
{
	struct cmdline *c = &b->cmd;
	struct verity_words words;
	/* of the initramfs, and not of a system that prepares another root */
	int rc = b->plan->line ? NBD_OK : take_ours(b, d);

	if (rc)
		return rc;
	/* init_usr_take() has not seen that of the initramfs */
	if (c->roothash && b->usr.kind == USR_BESIDE)
		return nbd_diag(d, NBD_E_USAGE,
				"mount.usr=, usrhash=: the root is verified, "
				"with the /usr in it");
	words = words_of(c);
	if (!words.root && !words.data && !words.hash && !words.options &&
	    !words.ours)
		return NBD_OK;
	rc = check(c, &words, b->spec.part, d);
	if (!rc)
		rc = verity_wanted(&b->verity, &words, d);
	if (!rc && b->verity.data && !c->usrhash)
		b->spec.part = c->part = *b->verity.data ? b->verity.data
							 : NULL;
	return rc;
}

/* NBD_E_NOT_FOUND: the disk has no such partition, or none at all. */
static int find(const struct boot *b, char path[PART_PATH], bool last,
		struct nbd_diag *d)
{
	char part[VERITY_PART];

	verity_part(part, &b->verity, last);
	return init_part_find(path, "/sys/block", "/dev", b->disk, part, d);
}

/*
 * What is mounted has to match the hash; how it is mounted is not for DHCP to
 * choose, either.  spec has what the words of this machine say.
 */
static int do_dhcp(struct boot *b, struct nbd_diag *d)
{
	struct root_spec *r = &b->root;

	(void)d;
	if (!b->cmd.roothash ||
	    (r->fstype == b->spec.fstype && r->options == b->spec.options))
		return NBD_OK;
	boot_say("no effect in the root-path of DHCP, because of roothash=: "
		 "file system and mount options");
	r->fstype = b->spec.fstype;
	r->options = b->spec.options;
	return NBD_OK;
}

/* Unless a word names one, it is the partition that the root hash names. */
static int do_part(struct boot *b, struct nbd_diag *d)
{
	char path[PART_PATH];
	int rc;

	if (!b->cmd.roothash || b->root.part || b->verity.data)
		return NBD_OK;
	rc = find(b, path, false, d);
	if (!rc)
		memcpy(b->dev, path, sizeof(b->dev));
	return rc == NBD_E_NOT_FOUND ? NBD_OK : rc;
}

/* The device of the data, with all that is below it; later, what verifies it. */
static char *data_of(struct boot *b)
{
	return b->usr.kind == USR_BESIDE ? b->usr.dev : b->dev;
}

/* The disk or the partition of the data itself. */
static const char *below_of(struct boot *b)
{
	return b->usr.kind != USR_BESIDE && *b->fetcher.below ? b->fetcher.below
							      : data_of(b);
}

/* A part of the disk, or the device of the data with all that is below it. */
static int find_part(struct boot *b, char path[PART_PATH], const char *part,
		     struct nbd_diag *d)
{
	int rc = init_part_find(path, "/sys/block", "/dev", b->disk,
				*part ? part : NULL, d);

	if (!rc && !strcmp(path, below_of(b)))
		memcpy(path, data_of(b), PART_PATH);
	return rc;
}

/* Sets path to the device with the tree. */
static int find_hash(struct boot *b, char path[PART_PATH], struct nbd_diag *d)
{
	const char *part = b->verity.hash;
	int rc = NBD_E_NOT_FOUND;

	if (b->tree.index >= 0) {
		nbd_fmt(path, PART_PATH, "/dev/nbd%d", b->tree.index);
		return NBD_OK;
	}
	if (part)
		return find_part(b, path, part, d);
	if (b->verity.hash_offset == VERITY_UNSET)
		rc = find(b, path, true, d);
	if (rc != NBD_E_NOT_FOUND && (rc || strcmp(path, below_of(b)) != 0))
		return rc;
	memcpy(path, data_of(b), PART_PATH);
	return NBD_OK;
}

/*
 * In the real system it would wait for partitions, for 90 seconds, to do again
 * what is done.  systemd takes a unit without ExecStart= if it has ExecStop=, and
 * then starts no process for it.
 */
static void tell_systemd(const char *of)
{
	static const char unit[] = "[Unit]\nDefaultDependencies=no\n"
				   "[Service]\nType=oneshot\n"
				   "RemainAfterExit=yes\n"
				   "ExecStop=/bin/true\n";

	char path[80];

	nbd_fmt(path, sizeof(path), UNIT, of);
	file_save(AT_FDCWD, path, unit, sizeof(unit) - 1);
}

/*
 * Another server may have the image of this root hash: one that lies is like one
 * that is gone, until all have been asked.
 */
static int try_another(struct boot *b, int rc)
{
	unsigned servers = b->root.uris;

	if (rc != NBD_E_MISMATCH && rc != NBD_E_NOT_FOUND)
		return rc;
	if (b->tree.index >= 0 && b->tree.root.uris > servers)
		servers = b->tree.root.uris;
	b->first++;
	return servers && b->first % servers ? NBD_E_RESET : rc;
}

static int do_verify(struct boot *b, struct nbd_diag *d)
{
	char hash[PART_PATH], codes[PART_PATH], dev[PART_PATH];
	char *data = data_of(b);
	const struct verity_devices on = { b->disk, data, hash,
					   b->verity.fec ? codes : NULL };
	char root[17];
	int rc;

	if (!b->verity.digest)
		return NBD_OK;
	rc = find_hash(b, hash, d);
	if (!rc && on.codes)
		rc = find_part(b, codes, b->verity.codes, d);
	if (!rc)
		rc = init_verity_map(&b->verity, &on, dev, d);
	if (rc)
		return try_another(b, rc);
	verity_hex(root, b->verity.root, 8);
	boot_say("verity: %s is read through %s, and must match %shash=%s...",
		 data + 5, dev + 5, b->verity.of, root);
	memcpy(data, dev, PART_PATH);
	tell_systemd(b->verity.of);
	return NBD_OK;
}

static int undo_verify(struct boot *b, struct nbd_diag *d)
{
	char path[80];
	int rc;

	if (!b->verity.digest)
		return NBD_OK;
	/* the root of another plan may be for systemd to verify */
	nbd_fmt(path, sizeof(path), UNIT, b->verity.of);
	unlink(path);
	rc = mapper_uncover(b->disk, d);
	return rc == NBD_E_NOT_FOUND ? NBD_OK : rc;
}

/* No server can give a copy in RAM another block: so now, or never. */
static int do_copy(struct boot *b, struct nbd_diag *d)
{
	if (!b->verity.digest || b->index >= 0 || INIT_LOCAL(b))
		return NBD_OK;
	return try_another(b, init_verity_read(&b->verity, b->disk, data_of(b),
					       d));
}

const struct step init_verifier_words_step = {
	.name = "kernel command line",
	.run = take_words,
	.hint = "check roothash=, usrhash= and what is beside them",
	.when = STEP_ONCE | STEP_BESIDE,
};

static const char see[] = "check the root hash, the image on the server, and "
			  "that the initramfs has module dm_verity";

/* In process 1: later steps need what it changes. */
const struct step init_verifier_dhcp_step = {
	.name = "verity",
	.run = do_dhcp,
	.hint = "",
	.when = STEP_BESIDE,
};

const struct step init_verifier_part_step = {
	.name = "partition",
	.run = do_part,
	.hint = see,
	.run_ms = STEP_READ_MS,
	.when = STEP_BESIDE,
};

const struct step init_verifier_step = {
	.name = "verity",
	.run = do_verify,
	.undo = undo_verify,
	.hint = see,
	.run_ms = STEP_READ_MS,
	.undo_ms = STEP_UNDO_MS,
	.when = STEP_BESIDE,
};

const struct step init_verifier_copy_step = {
	.name = "verity",
	.run = do_copy,
	.hint = see,
	.run_ms = STEP_COPY_MS,
	.when = STEP_BESIDE,
};
