/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.prefetch=nbd://HOST/EXPORT: a list that an export holds, one for all
 * machines that boot an image.
 */
#include "boot/init/prefetch.h"

#include <string.h>

#include "boot/images/images_text.h"
#include "boot/init/steps.h"
#include "boot/root/connect.h"

/* Of several servers the first that has it.  Returns its bytes, or an error. */
static int read_text(const struct root_spec *r, char text[PREFETCH_FILE + 1],
		     struct nbd_diag *d)
{
	struct images_text t;
	int n = nbd_diag(d, NBD_E_USAGE, "it names no server");

	for (unsigned i = 0; i < r->uris && n <= 0; i++) {
		n = images_text_open(&t, &r->uri[i], d);
		if (!n)
			n = images_text_read(&t, text, PREFETCH_FILE, d);
		images_text_close(&t);
	}
	if (n < 0)
		return n;
	text[n] = '\0';
	/* servers fill the last block up */
	return (int)strlen(text);
}

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
	int rc = expand(&r, b, uri, d);

	if (!rc)
		rc = read_text(&r, text, d);
	if (rc >= 0)
		rc = prefetch_parse(l, text, (size_t)rc, d);
	return rc ? nbd_diag_prefix(d, rc, "%s", uri) : NBD_OK;
}
