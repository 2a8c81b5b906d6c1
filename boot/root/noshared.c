/* SPDX-License-Identifier: BSD-2-Clause */
/* No warning: a program that is as small as possible. */
#include "boot/root/connect.h"

void root_warn_shared(const struct root_spec *r, const struct root_env *env,
		      unsigned flags)
{
	(void)r, (void)env, (void)flags;
}
