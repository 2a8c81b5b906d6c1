/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel command line, and the parsers of its words. */
#include "boot/words/cmdline.h"
#include "boot/words/plan.h"
#include "boot/init/mount.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same(bool yes)
{
	if (!yes)
		abort();
}

static void check_ip(const char *text)
{
	struct nbd_diag d = { "" };
	struct ip_config ip;
	int err = boot_ip_parse(&ip, text, &d);

	same(err == 0 || (err == NBD_E_USAGE && d.text[0]));
	if (err)
		return;
	same(ip.client.prefix <= 128 && strlen(ip.host) < sizeof(ip.host) &&
	     strlen(ip.device) < sizeof(ip.device));
}

static void check_plan(const char *line)
{
	static struct net_plan p;
	struct nbd_diag d = { "" };
	int err = boot_plan_parse(&p, line, NULL, &d);

	same(err == 0 || (err == NBD_E_USAGE && d.text[0]));
	same(p.n_ip >= 1 && p.n_ip <= PLAN_MAX && p.n_dns <= PLAN_MAX &&
	     p.n_route <= PLAN_MAX && p.n_name <= PLAN_MAX &&
	     p.n_vlan <= PLAN_MAX);
}

static void check_options(const char *text)
{
	unsigned long flags = 0;
	char options[64];

	if (init_mount_options(text, &flags, options, sizeof(options)) == 0)
		same(strlen(options) < sizeof(options));
}

/* The value of a word lies within the text, up to its NUL. */
static void check_word(const struct cmdline *c, const char *word)
{
	if (!word)
		return;
	same(word >= c->text && word < c->text + sizeof(c->text));
	same(memchr(word, '\0', (size_t)(c->text + sizeof(c->text) - word)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cmdline c;
	struct nbd_diag d = { "" };
	char *line = malloc(size + 1);
	int err;

	if (size)
		memcpy(line, data, size);
	line[size] = '\0';
	err = boot_cmdline_parse(&c, line, &d);
	check_plan(line);
	free(line);
	same(err == 0 || (err == NBD_E_USAGE && d.text[0]));
	check_word(&c, c.root);
	check_word(&c, c.fstype);
	check_word(&c, c.flags);
	check_word(&c, c.init);
	check_word(&c, c.part);
	check_word(&c, c.shell);
	check_word(&c, c.ip);
	if (c.ip)
		check_ip(c.ip);
	if (c.flags)
		check_options(c.flags);
	same(err || c.connections >= 1);
	return 0;
}
