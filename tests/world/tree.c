/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/world/tree.h"

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __real_symlink(const char *to, const char *path);
int __wrap_symlink(const char *to, const char *path);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __real_chdir(const char *path);
int __wrap_chdir(const char *path);

int __wrap_mkdir(const char *path, mode_t mode)
{
	return world.others == WORLD_REAL
		       ? __real_mkdir(world_run(path), mode)
		       : world_does("mkdir -m %o %s", mode, path);
}

int __wrap_symlink(const char *to, const char *path)
{
	return world.others == WORLD_REAL ? __real_symlink(to, world_run(path))
					  : world_does("ln -s %s %s", to, path);
}

int __wrap_unlink(const char *path)
{
	return world.others == WORLD_REAL ? __real_unlink(world_run(path))
					  : world_does("rm %s", path);
}

int __wrap_chdir(const char *path)
{
	const struct world_file *f;

	if (world.others != WORLD_REAL)
		return world_does("cd %s", path);
	f = world_find(path);
	return __real_chdir(f && f->target ? f->target : world_run(path));
}
