/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/module.h"

#include "port/linux/module.h"

int __wrap_mod_load(const char *name, const char *params, struct nbd_diag *d);
int __wrap_mod_load(const char *name, const char *params, struct nbd_diag *d)
{
	world_note(world.loaded, sizeof(world.loaded), "%s%s%s\n", name,
		   *params ? " " : "", params);
	world.loads++;
	if (world.load)
		world.load(name, params);
	return world.no_module
		       ? nbd_diag(d, world.no_module, "no module %s", name)
		       : 0;
}
