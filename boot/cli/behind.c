/* SPDX-License-Identifier: BSD-2-Clause */
/* A watcher in the background. */
#include "boot/cli/behind.h"
#include "boot/cli/cli.h"
#include "boot/system/console.h"
#include "boot/system/ready.h"
#include "port/linux/process.h"

#include <unistd.h>

void cli_watch_mark(char *program)
{
	struct nbd_diag d;

	if (program[0])
		program[0] = '@';
	if (watch_units(&d))
		boot_say("%s", d.text);
}

struct watch *cli_watch(unsigned outage)
{
	/* pages: too large for a stack */
	static struct watch w;

	w.failed = cli_fail;
	w.outage = outage;
	return &w;
}

int cli_watch_behind(struct watch *w, int index, char *program,
		     struct nbd_diag *d)
{
	pid_t pid;

	boot_ready_open();
	pid = _Fork();
	if (pid == 0) {
		boot_ready_child();
		/* for a terminal there is the kernel's log */
		process_detach(false);
		if (program)
			cli_watch_mark(program);
		_exit(watch_devices(w, &index, 1));
	}
	boot_ready_await();
	return pid > 0 && watch_takeover_holder(index) == pid
		       ? CLI_OK
		       : nbd_diag(d, NBD_E_KERNEL,
				  "no process watches it: nothing would end an "
				  "outage");
}
