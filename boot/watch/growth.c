/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/watch/growth.h"

#include <sys/wait.h>
#include <unistd.h>

#include "boot/mapper/mapper.h"
#include "boot/watch/watch.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

/* ms between tries while the table is another process's, as during a boot. */
#define PAUSE_MIN 1000
#define PAUSE_MAX 30000
/* ms between looks at the child. */
#define LOOK_MS	  500

void watch_growth_open(struct watch_growth *g, int devices)
{
	*g = (struct watch_growth){ .devices = devices,
				    .run = file_run(),
				    .retry.min = PAUSE_MIN,
				    .retry.max = PAUSE_MAX };
	nbd_retry_begin(&g->retry);
}

static bool has_mapper(void)
{
	char path[64];

	nbd_fmt(path, sizeof(path), "%s/../module/dm_mod", nbdk_sys);
	return !access(path, F_OK);
}

static _Noreturn void grow(const struct watch_growth *g, int index)
{
	struct nbd_diag d;

	_exit(mapper_grow(g->devices, g->run, index, &d) != 0);
}

/* False: the child still runs. */
static bool reap(struct watch_growth *g)
{
	int status = 1;
	pid_t pid = waitpid(g->pid, &status, WNOHANG);

	if (!pid)
		return false;
	g->pid = 0;
	if (pid > 0 && !status) {
		g->size = g->tried;
		nbd_retry_begin(&g->retry);
	} else {
		g->next = nbd_now_ms() + nbd_retry_pause(&g->retry);
	}
	return true;
}

int watch_growth_look(struct watch_growth *g, const struct device *dev)
{
	uint64_t now;

	if (g->pid > 0 && !reap(g))
		return LOOK_MS;
	/* a mapping that is made later has the size of then */
	if (!has_mapper())
		g->size = dev->info.size;
	if (dev->info.size <= g->size)
		return -1;
	now = nbd_now_ms();
	if (now < g->next)
		return (int)(g->next - now);
	g->tried = dev->info.size;
	g->pid = watch_fork(g->devices, g->run);
	if (!g->pid)
		grow(g, dev->info.index);
	return LOOK_MS;
}
