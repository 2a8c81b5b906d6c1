/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/tries.h"

#include <stdio.h>

#include "boot/images/keep_tries.h"

int __wrap_images_keeper_open(struct images_keeper *k, const char *uri,
			      const char *dir, struct nbd_diag *d);
int __wrap_images_keeper_read(struct images_keeper *k, struct images_tries *t,
			      struct nbd_diag *d);
int __wrap_images_keeper_write(struct images_keeper *k,
			       const struct images_tries *t,
			       struct nbd_diag *d);
void __wrap_images_keeper_close(struct images_keeper *k);

int __wrap_images_keeper_open(struct images_keeper *k, const char *uri,
			      const char *dir, struct nbd_diag *d)
{
	(void)k, (void)dir, (void)d;
	snprintf(world.keeper, sizeof(world.keeper), "%s", uri);
	return NBD_OK;
}

int __wrap_images_keeper_read(struct images_keeper *k, struct images_tries *t,
			      struct nbd_diag *d)
{
	(void)k;
	if (world.keeper_away)
		return nbd_diag(d, NBD_E_REFUSED, "the server is away");
	*t = world.tries;
	d->text[0] = '\0';
	return NBD_OK;
}

int __wrap_images_keeper_write(struct images_keeper *k,
			       const struct images_tries *t, struct nbd_diag *d)
{
	(void)k;
	if (world.keeper_away)
		return nbd_diag(d, NBD_E_REFUSED, "the server is away");
	if (world.keeper_fails)
		return nbd_diag(d, world.keeper_fails, "it is as it is");
	if (world.keep)
		world.keep();
	world.tries = *t;
	world.kept++;
	return NBD_OK;
}

void __wrap_images_keeper_close(struct images_keeper *k)
{
	(void)k;
}
