/* SPDX-License-Identifier: BSD-2-Clause */
/* What the words of nbdboot copy name. */
#include "boot/cli/copy_tree.h"

int cli_copy_open(struct side *s, const char *word, enum cli_copy_role role,
		  const struct copy_options *o, struct nbd_diag *d)
{
	/* static, with their strings and buffers: too large for a stack */
	static struct cli_target target[3];
	static struct copy_link links[3];
	const struct cli_server none = { .name = NULL };
	struct cli_target *t = &target[role];
	bool output = role == CLI_COPY_DST;
	int err;

	err = cli_check_scheme(word, d);
	if (err)
		return err;
	if (output && o->resume && !nbd_is_uri(word))
		return o->map ? copy_side_open_again(s, word, d)
			      : copy_side_open_part(s, word, d);
	if (!nbd_is_uri(word))
		return copy_side_open_file(s, word, output, d);
	err = cli_target(t, word, &none, d);
	if (err)
		return err;
	*s = (struct side){ .name = word, .output = output, .fd = -1 };
	err = copy_side_open_nbd(s, &links[role], &t->uri, o, d);
	if (err)
		cli_try_simple(&links[role].conns[0].c, err, d);
	return err;
}
