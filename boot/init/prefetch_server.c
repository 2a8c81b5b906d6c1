/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.prefetch=nbd://HOST/EXPORT: a list that an export holds, one for all
 * machines that boot an image.
 */
#include "boot/init/prefetch.h"

#include "boot/images/images_text.h"
#include "boot/init/steps.h"
#include "boot/root/connect.h"

static int expand(struct root_spec *r, const struct boot *b, const char *uri,
		  struct nbd_diag *d)
{
	/* of a child process; too large for a stack */
	static struct root_spec spec;
	static struct cmdline c;
	static struct root_machine m;
	struct root_env env = init_root_env(b);
	int rc;

	c = (struct cmdline){ .root = uri, .tls = b->cmd.tls };
	rc = root_parse(&spec, &c, d);
	root_machine(&m, &env, b->net.state.name);
	return rc ? rc : root_expand(r, &spec, &env, d);
}

int init_prefetch_ask(struct prefetch_list *l, const struct boot *b,
		      const char *uri, struct nbd_diag *d)
{
	/* of a child process; too large for a stack */
	static struct root_spec r;
	static char text[PREFETCH_FILE + 1];
	struct images_text t;
	int rc = expand(&r, b, uri, d);

	if (!rc)
		rc = images_text_first(&t, r.uri, r.uris, text, sizeof(text),
				       d);
	if (rc >= 0)
		rc = prefetch_parse(l, text, (size_t)rc, d);
	return rc ? nbd_diag_prefix(d, rc, "%s", uri) : NBD_OK;
}
