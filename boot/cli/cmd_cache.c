/* SPDX-License-Identifier: BSD-2-Clause */
/* nbdboot cache: what a local device keeps of what boots have read. */
#include "boot/cache/cache.h"
#include "boot/cache/cache_spec.h"
#include "boot/cli/cli.h"
#include "boot/init/clone_target.h"
#include "boot/init/prefetch.h"
#include "boot/mapper/mapper.h"
#include "boot/prefetch/learn.h"
#include "boot/system/harden.h"
#include "boot/system/ready.h"
#include "port/linux/file.h"
#include "port/linux/nbdk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct options {
	const char *image; /* by init: IMAGE[,HALF] */
};

static const struct cli_option options[] = {
	{ "image", '\0', "IMAGE", "fill it, once the boot of IMAGE is over",
	  CLI_FIELD(struct options, image) },
	{ 0 },
};

static int show_half(int fd, uint64_t size, unsigned half, struct nbd_diag *d)
{
	/* 64 KiB: too large for a stack */
	static struct cache_half h;
	int rc = cache_read(&h, fd, size, half, d);

	if (rc) {
		cli_putf("half %u   %s\n", half, d->text);
		return rc == NBD_E_IO ? rc : CLI_OK;
	}
	cli_putf("half %u   ", half);
	cli_put_size(prefetch_sum(&h.list) * 512);
	cli_putf(" in %u extents, write %llu, of %s\n", h.list.n,
		 (unsigned long long)h.turn, h.list.image);
	return CLI_OK;
}

/* Of a device that fails in places, all that can be read. */
static int show_halves(int fd, uint64_t size, struct nbd_diag *d)
{
	struct nbd_diag why;
	int rc = CLI_OK;

	for (unsigned i = 0; i < CACHE_HALVES; i++)
		if (show_half(fd, size, i, &why)) {
			*d = why;
			rc = NBD_E_IO;
		}
	return rc;
}

static int show(const char *device, struct nbd_diag *d)
{
	char path[CLONE_PATH];
	struct cache_spec spec;
	int fd = -1, rc = cache_spec_parse(&spec, device, d);
	off_t size = -1;

	if (!rc)
		rc = init_clone_find(path, spec.to.device, d);
	if (!rc) {
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
		if (size < 0)
			rc = nbd_diag(d, file_error(errno), "open %s: %s", path,
				      strerror(errno));
	}
	if (!rc && !cache_is_ours(fd, (uint64_t)size, &init_clone_eyes))
		rc = nbd_diag(d, NBD_E_NOT_FOUND, "%s is no cache", path);
	if (!rc)
		rc = show_halves(fd, (uint64_t)size, d);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* The list of this boot, once it is over. */
static int read_list(struct prefetch_list *l, int run, int index,
		     struct nbd_diag *d)
{
	int fd, rc = mapper_lock(run, index, true, d);

	if (rc)
		return rc;
	fd = openat(run, PREFETCH_LEARNT, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? nbd_diag(d, NBD_E_NOT_FOUND,
				 "there is no list of this boot")
		      : init_prefetch_read(l, fd, PREFETCH_LEARNT, d);
}

static int fill(int index, const char *device, const char *image,
		struct nbd_diag *d)
{
	/* 64 KiB, of a process that stays: locked in memory */
	static struct prefetch_list list;
	char name[CACHE_IMAGE];
	struct cache_spec spec;
	const char *half = strchr(image, ',');
	struct cache_fill f = { .index = index,
				.eyes = &init_clone_eyes,
				.image = name,
				.half = half ? half[1] == '1' : -1 };
	int run = file_run(), rc;

	nbd_fmt(name, sizeof(name), "%.*s", (int)strcspn(image, ","), image);
	rc = cache_spec_parse(&spec, device, d);
	f.spec = spec.to;
	if (!rc)
		rc = clone_spec_stays(&spec.to, d);
	if (!rc)
		rc = cache_fill_begin(&f, d);
	if (rc)
		return rc;
	boot_log_to_kernel();
	boot_harden();
	boot_ready_tell();
	rc = read_list(&list, run, index, d);
	/* nothing can be learned here: what is kept stays */
	if (rc == NBD_E_NOT_FOUND && f.half >= 0)
		return CLI_OK;
	return rc ? rc : cache_fill_run(&f, &list, d);
}

static int run(struct cli_call *call)
{
	const struct options *o = call->options;
	const char *name = call->words[0];
	int index, rc;

	if (!o->image && cli_extra("cache", call->words, 1))
		return CLI_USAGE;
	if (!o->image)
		return show(name, &call->d);
	index = nbdk_parse_name(name);
	if (index < 0 || !call->words[1])
		return cli_usage("cache", CLI_NO_DEVICE, name);
	boot_small_pages();
	rc = fill(index, call->words[1], o->image, &call->d);
	return rc ? nbd_diag_prefix(&call->d, rc, "cache") : CLI_OK;
}

const struct command cmd_cache = {
	.name = "cache",
	.group = CLI_CLONE,
	.summary = "what a local device keeps of what boots have read",
	.help = "DEVICE is /dev/NAME, PARTUUID=, PARTLABEL= or serial=,\n"
		"that of nbdboot.cache=, whose boots fill it.\n",
	.operands = { 1, 2, { "nbdN|DEVICE", "DEVICE" } },
	.options = options,
	.run = run,
};
