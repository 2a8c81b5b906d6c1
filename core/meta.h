/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to core/: what extended.c uses of meta.c. */
#ifndef NBD_META_H
#define NBD_META_H

#include "core/core.h"

/* Continues after STRUCTURED_REPLY or EXTENDED_HEADERS was accepted. */
void nbd_ask_context(struct nbd_client *c);

#endif
