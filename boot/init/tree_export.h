/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash tree in an export of its own, for roothash=. */
#ifndef BOOT_INIT_TREE_EXPORT_H
#define BOOT_INIT_TREE_EXPORT_H

#include "boot/words/root.h"

struct tree_export {
	/* the export, written as a root is */
	struct cmdline cmd;
	struct root_spec parsed, root;
	int index; /* N of its nbdN; -1: not connected */
};

#endif
