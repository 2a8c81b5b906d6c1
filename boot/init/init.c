/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Process 1 of an initramfs: runs a table of steps, the last of which enters
 * the real root.  When a step fails, it prints the reason, undoes the steps,
 * pauses, and starts again with the drivers; it does not retry after a failure
 * that only a reboot can cure (a wrong command line).  This process never ends:
 * the kernel would panic, and hide the message.
 */
#include "boot/init/init.h"

#include <stddef.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/system/times.h"
#include "boot/init/images.h"
#include "boot/init/steps.h"

/* ms between two tries of an image, or of one and the next. */
#define AGAIN_MS 1000

/* Bytes of a struct boot that a child passes back. */
#define KEPT offsetof(struct boot, work)

static int work_in_child(void *data, struct nbd_diag *d)
{
	struct boot *b = data;

	return b->work(b, d);
}

/* Runs or undoes a step; ms: in a child, for so long. */
static int work(struct boot *b, step_work *fn, const char *what, unsigned ms,
		struct nbd_diag *d)
{
	uint64_t end = nbd_now_ms() + ms;
	struct process child;
	int rc;

	b->work = fn;
	if (!ms)
		return fn(b, d);
	rc = process_start(&child, work_in_child, b, KEPT, d);
	if (rc)
		return rc;
	if (b->await)
		b->await(b, &child, ms);
	return process_finish(&child, b, KEPT, what, end, d);
}

int init_step_do(const struct step *s, struct boot *b, struct nbd_diag *d)
{
	d->text[0] = '\0';
	boot_note("%s", s->name);
	return work(b, s->run, "this step", s->run_ms, d);
}

void init_step_undo(const struct step *s, struct boot *b)
{
	struct nbd_diag d = { "" };

	if (s->process)
		init_spawn_stop((void *)((char *)b + s->process));
	if (s->undo && work(b, s->undo, s->name, s->undo_ms, &d))
		boot_say("cannot undo: %s", d.text);
}

void init_undo(void *ctx, size_t at)
{
	struct boot *b = ctx;

	do
		init_step_undo(b->plan->steps[at], b);
	while (at--);
}

/* Runs the steps from *at on; after a failure *at is the failed step. */
static int run(struct boot *b, size_t *at, struct nbd_diag *d)
{
	const struct step *const *steps = b->plan->steps, *s;

	for (; (s = steps[*at]); ++*at) {
		uint64_t start = nbd_now_ms();
		int rc = init_step_do(s, b, d);

		if (rc)
			return rc;
		if (!(s->when & STEP_ONCE))
			boot_times_mark(s->name, start);
	}
	return NBD_E_KERNEL;
}

static void recover(struct boot *b, size_t at, int err)
{
	const struct step *s = b->plan->steps[at];
	struct failure f = {
		.at = at,
		.err = err,
		/* after the switch no initramfs is left */
		.hopeless = (s->when & STEP_ONCE) ||
			    (s == &init_switch_step && err == NBD_E_IO),
	};

	if (init_images_failed(b, s, err)) {
		init_undo(b, at);
		init_rest(AGAIN_MS);
		return;
	}
	b->recovery.shell = b->cmd.shell;
	b->recovery.panic = b->cmd.panic;
	init_recover(&b->recovery, &f, init_undo, b);
}

static void begin(struct boot *b, char *argv[], const struct plan *plan,
		  sigset_t signals)
{
	memset(b, 0, sizeof(*b));
	b->argv = argv;
	b->plan = plan;
	b->index = b->overlay.index = b->tree.index = -1;
	b->recovery.signals = signals;
	b->by.signals = &b->recovery.signals;
}

/* Tries until the switch of the root succeeds. */
static _Noreturn void boot(struct boot *b)
{
	const struct step *const *steps;
	const struct plan *p;
	struct nbd_diag d;
	unsigned tries;
	size_t at = 0;

	for (tries = 0;; tries++) {
		int rc = run(b, &at, &d);

		p = b->plan;
		steps = p->steps;
		boot_say_failed(steps[at]->name, rc, &d, steps[at]->hint);
		if (p->on_failure) {
			p = p->on_failure(b, at, tries);
			begin(b, b->argv, p, b->recovery.signals);
			at = 0;
			continue;
		}
		recover(b, at, rc);
		for (at = 0; steps[at]->when & STEP_ONCE; at++)
			;
		boot_times_again(steps[at]->name);
	}
}

int init_boot(char *argv[], const struct plan *plan)
{
	/* pages: too large for a stack; a process boots only once */
	static struct boot b;
	sigset_t all, before;

	if (getpid() != 1) {
		boot_say("init: this is not process 1: it runs in an initramfs "
			 "only");
		return 2;
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	reboot((int)RB_ENABLE_CAD);
	boot_times_mark("kernel", 0);
	begin(&b, argv, plan, before);
	boot(&b);
}
