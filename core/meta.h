/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to core/: meta.c, for extended.c, which negotiates before it. */
#ifndef NBD_META_H
#define NBD_META_H

#include "core/core.h"

/* Goes on after STRUCTURED_REPLY or EXTENDED_HEADERS was accepted. */
void nbd_ask_context(struct nbd_client *c);
/* True for refusals that end the handshake: no other option would do. */
bool nbd_is_final(int err);

#endif
