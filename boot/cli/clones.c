/* SPDX-License-Identifier: BSD-2-Clause */
/* How far copies of roots to disks are, for nbdboot list. */
#include "boot/cli/clones.h"

#include <unistd.h>

#include "boot/cli/metrics.h"
#include "boot/clone/clone.h"

/* Only a look: where nothing was ever copied, no module is to be loaded. */
static bool find(struct clone_progress *p, int index)
{
	return !access("/sys/module/dm_mirror", F_OK) &&
	       !clone_progress(p, index, NULL);
}

/* A region is some MiB, and the last one may be shorter. */
static uint64_t copied(const struct clone_progress *p)
{
	return p->done == p->all ? p->sectors * 512
				 : p->sectors / p->all * 512 * p->done;
}

void cli_clone_text(int index)
{
	struct clone_progress p;

	if (!find(&p, index))
		return;
	cli_putf("  Clone:       %u%% of ", clone_percent(&p));
	cli_put_size(p.sectors * 512);
	cli_putf(" are on %s\n", p.name);
}

void cli_clone_json(int index)
{
	struct clone_progress p;

	if (find(&p, index))
		cli_putf(", \"clone\": {\"disk\": \"%s\", \"size\": %llu, "
			 "\"percent\": %u}",
			 p.name, (unsigned long long)p.sectors * 512,
			 clone_percent(&p));
}

static void put(char *const names[], const char *name, const char *help,
		bool done)
{
	struct cli_devices devices = { .names = names };
	struct clone_progress p;
	bool any = false;
	int index;

	while ((index = cli_next_device(&devices)) >= 0) {
		if (!find(&p, index))
			continue;
		if (!any)
			cli_putf("# HELP nbdboot_clone_%s %s\n"
				 "# TYPE nbdboot_clone_%s gauge\n",
				 name, help, name);
		any = true;
		cli_putf(
			"nbdboot_clone_%s{device=\"nbd%d\",disk=\"%s\"} %llu\n",
			name, index, p.name,
			(unsigned long long)(done ? copied(&p)
						  : p.sectors * 512));
	}
}

void cli_clone_metrics(char *const names[])
{
	put(names, "size_bytes", "Size of the root that is copied to a disk.",
	    false);
	put(names, "copied_bytes", "Of it what is on the disk.", true);
}
