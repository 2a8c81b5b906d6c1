/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A writable disk that a second machine may mount, too.
 *
 * NBD does not show who else is connected.  It shows that an export is writable
 * and that the server answers several clients with one state (multi-conn); and
 * a name that is this machine's own is probably no other's.
 */
#include "boot/root/connect.h"

#include <string.h>

#include "boot/system/console.h"
#include "core/nbd.h"

static bool is_own(const struct nbd_uri *u, const struct root_env *env)
{
	for (unsigned i = 0; i < ROOT_VALUES; i++)
		if (env->value[i] && *env->value[i] &&
		    (strstr(u->name, env->value[i]) ||
		     strstr(u->host, env->value[i])))
			return true;
	return false;
}

void root_warn_shared(const struct root_spec *r, const struct root_env *env,
		      unsigned flags)
{
	const struct cmdline *c = r->cmd;
	char uri[256];

	if (!c->write || c->overlay || r->read_only ||
	    flags & NBD_FLAG_READ_ONLY || !(flags & NBD_FLAG_CAN_MULTI_CONN) ||
	    is_own(&r->uri[0], env))
		return;
	boot_uri_show(&r->uri[0], uri, sizeof(uri));
	boot_say("%s can be written, also by several clients: let no second "
		 "machine mount it (nbdboot.overlay shares a disk, %%m in its "
		 "name gives each machine one)",
		 uri);
}
