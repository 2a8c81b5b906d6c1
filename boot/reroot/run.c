/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One reroot:
 *
 *	words -> proof -> words with the network -> files kept -> the system ends
 */
#include "boot/system/console.h"
#include "boot/images/trial.h"
#include "boot/init/recover.h"
#include "boot/init/usr.h"
#include "boot/reroot/after.h"
#include "boot/reroot/reroot.h"

/* ms between proofs that failed. */
#define AGAIN_MS 5000

/* Everything of one reroot. */
struct task {
	struct reroot_wish o;
	struct reroot_old old;
	struct reroot_proof proof;
	struct reroot_words words, back;
};

/*
 * Does the user say what the network will be, or is it up to the programs of a
 * system that boots from a disk?
 */
static bool leaves_network(const struct reroot_wish *wish)
{
	struct nbd_diag d;
	struct cmdline c;

	if (!wish->kexec || reroot_is_local(wish->target))
		return wish->kexec;
	/* begin() reports what is wrong with the words */
	return wish->append && !boot_cmdline_parse(&c, wish->append, &d) &&
	       c.ip;
}

/* The words for the new root.  Without `link` those of the network lack. */
static int new_words(struct task *task, const struct sockdiag_link *link,
		     struct nbd_diag *d)
{
	const struct reroot_wish *wish = &task->o;
	bool leave = leaves_network(wish);
	int rc = NBD_OK;

	reroot_words_begin(&task->words);
	reroot_words_keep(&task->words, task->old.line,
			  task->old.ours && !leave);
	if (!task->old.ours && !leave && link && link->family)
		rc = reroot_network(&task->words, link, wish->kexec, d);
	if (!rc)
		rc = reroot_words_root(&task->words, wish, d);
	return rc ? rc : reroot_words_end(&task->words, d);
}

static int prove(struct task *task, struct nbd_diag *d)
{
	struct nbd_retry retry = { .min = AGAIN_MS, .max = AGAIN_MS };
	int ms, rc = reroot_prove(&task->proof, task->words.text, d);

	nbd_retry_begin(&retry);
	while (rc && task->o.when_ready &&
	       (ms = nbd_retry_failed(&retry, rc)) >= 0) {
		boot_say("not ready: %s", d->text);
		init_rest((unsigned)ms);
		rc = reroot_prove(&task->proof, task->words.text, d);
	}
	return rc;
}

/* Credentials of the old root that only its initramfs had are kept since. */
static int keep_files(struct task *task, struct nbd_diag *d)
{
	struct root_spec old;
	struct cmdline c;
	struct usr u;
	int rc = NBD_OK;

	if (!boot_cmdline_parse(&c, task->back.text, d) &&
	    !init_usr_take(&u, &c, d) && !root_parse(&old, &c, d))
		rc = reroot_keep(&old, true, d);
	if (rc && !task->o.force)
		return rc;
	if (*task->proof.cmd.root == '/')
		return NBD_OK;
	rc = reroot_keep(&task->proof.spec, false, d);
	return rc ? rc : reroot_keep(&task->proof.overlay.parsed, false, d);
}

/*
 * Both systems must know soft-reboot, and the network must be ours: another
 * program may take it down with the old system.  The memory of a copy is freed
 * by a shutdown.
 */
static bool is_soft(const struct task *task)
{
	return task->proof.soft && task->old.ours && !task->old.copy &&
	       *task->proof.cmd.root != '/' && reroot_has_soft();
}

static int start(enum reroot_way way, const struct device_signals *signals,
		 struct nbd_diag *d)
{
	if (device_signals_came(signals))
		return nbd_diag(d, NBD_E_INTERRUPTED, "a signal came");
	boot_say("all checks passed: this system ends now");
	return reroot_start(way, d);
}

static int go_softly(const struct task *task,
		     const struct device_signals *signals, struct nbd_diag *d)
{
	struct reroot_soft s = { 0 };
	struct nbd_diag other;
	int rc = reroot_soft(&s, task->words.text, signals, d);

	if (rc)
		return rc;
	rc = start(REROOT_SOFT, signals, d);
	if (rc) {
		reroot_soft_undo(&s);
		return rc;
	}
	/* its process stays, and would reboot the new root in time */
	images_say("end");
	/* only now: a later reroot would keep words of one that did not happen */
	if (reroot_put(REROOT_LINE, task->words.text, &other))
		boot_say("%s", other.text);
	return NBD_OK;
}

/* Into the new root, under this kernel. */
static int go(struct task *task, const struct device_signals *signals,
	      struct nbd_diag *d)
{
	struct nbd_diag other;
	int rc = keep_files(task, d);

	if (rc)
		return rc;
	if (is_soft(task))
		return go_softly(task, signals, d);
	rc = reroot_store(task->words.text, task->back.text, d);
	if (!rc)
		rc = start(REROOT_DOWN, signals, d);
	/* the next reboot is none of ours */
	if (rc)
		reroot_store("", "", &other);
	return rc;
}

/* All that changes the system; a failure undoes it, and so does a signal. */
static int act(struct task *task, struct nbd_diag *d)
{
	struct device_signals signals;
	int rc, made;

	device_signals_hold(&signals);
	rc = made = reroot_prepare(d);
	if (rc >= 0)
		rc = task->o.kexec ? reroot_kexec(&task->proof.kernel,
						  task->words.text, &signals, d)
				   : go(task, &signals, d);
	if (rc && made > 0)
		reroot_unprepare();
	device_signals_release(&signals);
	return rc;
}

/* Another kernel has no way back, and needs none. */
static int begin(struct task *task, struct nbd_diag *d)
{
	const struct reroot_wish *wish = &task->o;
	struct reroot_kernel *k = &task->proof.kernel;

	if (!wish->kexec)
		return reroot_old_words(&task->back, &task->old, wish->force,
					d);
	k->wanted = true;
	k->wish[REROOT_KERNEL] = wish->kernel;
	k->wish[REROOT_INITRD] = wish->initrd;
	k->append = wish->append;
	return reroot_kernel_begin(k, d);
}

int reroot_run(const struct reroot_wish *wish, struct nbd_diag *d)
{
	struct task task = { .o = *wish };
	int rc;

	/* a wrong operand is reported whatever the system allows */
	reroot_words_begin(&task.words);
	rc = reroot_words_root(&task.words, wish, d);
	if (!rc)
		rc = reroot_join(d);
	if (!rc)
		rc = reroot_old_read(&task.old, d);
	if (!rc)
		rc = new_words(&task, NULL, d);
	if (!rc)
		rc = reroot_may_start(d);
	if (!rc)
		rc = begin(&task, d);
	if (!rc)
		rc = prove(&task, d);
	if (!rc && task.proof.kernel.path[REROOT_INITRD][0])
		task.o.uuid = task.proof.uuid;
	if (!rc)
		rc = new_words(&task, &task.proof.link, d);
	return rc ? rc : act(&task, d);
}
