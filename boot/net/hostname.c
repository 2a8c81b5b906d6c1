/* SPDX-License-Identifier: BSD-2-Clause */
/* Names: of the machine, and where those of others are looked up. */
#include "boot/net/net.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/system/console.h"
#include "boot/net/handoff.h"
#include "port/linux/file.h"

void net_set_host(const char *host, bool cut)
{
	if (cut)
		boot_say(
			"the host name is longer than %d bytes, and becomes %s",
			IP_HOST, host);
	if (host[0] && sethostname(host, strlen(host)))
		boot_say("host name %s: %s", host, strerror(errno));
}

void net_set_machine(const struct net_state *s)
{
	if (s->n_dns) {
		mkdir("/etc", 0755);
		unlink("/etc/resolv.conf");
		if (symlink(HANDOFF_RESOLV, "/etc/resolv.conf"))
			boot_say("/etc/resolv.conf: %s", strerror(errno));
	}
	net_set_host(s->host, s->cut);
}

/* They end up in files of other programs. */
static bool is_domain(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n &&
	       (boot_domains_char((unsigned char)p[i]) || (i && p[i] == '.')))
		i++;
	return i == n;
}

void net_keep_domains(char domain[BOOT_DOMAINS])
{
	struct nbd_out o = { .buf = domain, .cap = BOOT_DOMAINS - 1 };
	struct file_lines f;
	char *line, *p;

	if (domain[0] || file_lines_open(&f, "/etc/resolv.conf"))
		return;
	while ((line = file_lines_next(&f))) {
		if (strncmp(line, "search", 6) != 0 ||
		    !strchr(NBD_BLANKS, line[6]))
			continue;
		/* the last one counts */
		o.len = 0;
		for (p = line + 6; *(p += strspn(p, NBD_BLANKS));) {
			size_t n = strcspn(p, NBD_BLANKS);

			if (is_domain(p, n) && n < o.cap - o.len)
				nbd_putf(&o, "%s%.*s", o.len ? " " : "", (int)n,
					 p);
			p += n;
		}
	}
	domain[o.len] = '\0';
}
