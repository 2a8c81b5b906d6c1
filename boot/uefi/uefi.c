/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nbdboot.efi: connects to an NBD export, gives it to the firmware as a disk,
 * and starts what is on it.  After a failure it returns to the firmware, which
 * goes on with its next boot entry.
 */
#include <string.h>

#include "boot/words/version.h"
#include "boot/uefi/program.h"
#include "port/lwip/lwip.h"

/* DHCP's words, or those of the prompt, when no others name a server. */
static int expand(struct uefi_program *p, struct nbd_diag *d)
{
	struct root_env env = { .root_path = p->net.lease.root_path };
	struct nbd_out o = { .buf = p->server, .cap = sizeof(p->server) - 1 };
	int rc;

	if (p->net.lease.next.len)
		nbd_put_ip(&o, p->net.lease.next.ip, 4);
	p->server[o.len] = '\0';
	env.server = o.len ? p->server : NULL;
	uefi_machine(&p->machine, &env, &p->net);
	rc = root_expand(&p->root, &p->conf.root, &env, d);
	if (!rc && !p->root.uris)
		rc = NBD_E_NOT_FOUND;
	p->unnamed = rc == NBD_E_NOT_FOUND && !p->root.uris;
	if (p->unnamed)
		return nbd_diag(d, rc,
				"no server: neither root= nor DHCP's "
				"root-path names one");
	return rc;
}

static void say_net(const struct uefi_program *p)
{
	const struct uefi_net *net = &p->net;
	bool is_ip4 = !LWIP_IPV6 || net->lease.addr.len;
	const struct nbd_ip *addr = is_ip4 ? &net->lease.addr : &net->ip6;
	char text[80];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) - 1 };

	nbd_put_ip(&o, addr->ip, is_ip4 ? 4 : 16);
	nbd_putf(&o, "/%u, ",
		 is_ip4		      ? addr->prefix
		 : net->ip.client.len ? net->ip.client.prefix
				      : 64);
	nbd_put_mac(&o, net->mac);
	text[o.len] = '\0';
	efi_print("nbdboot: %s, address by %s, over %s\n", text, net->from,
		  net->via);
}

static void say_disk(const struct uefi_program *p)
{
	const struct uefi_session *s = &p->drive.session;
	char name[256];

	efi_print("nbdboot: %s: %llu MiB%s, connected after %llu ms\n",
		  uefi_session_name(s, name, sizeof(name)),
		  (unsigned long long)(s->disk.export.size >> 20),
		  s->disk.export.flags & NBD_FLAG_READ_ONLY ? ", read-only"
							    : "",
		  (unsigned long long)p->t_disk);
	if (s->connections > 1 &&
	    !(s->disk.export.flags & NBD_FLAG_CAN_MULTI_CONN))
		efi_print("nbdboot: one connection: %s\n",
			  nbd_err_text(NBD_E_MULTI_CONN));
}

/* Has each server that is named an address of IPv4? */
static bool all_ip4(const struct root_spec *r)
{
	struct nbd_ip addr;
	unsigned n = 0;

	while (n < r->uris && nbd_ip_parse(&addr, r->uri[n].host) &&
	       addr.len == 4)
		n++;
	return n && n == r->uris;
}

/* Everything that one interface allows. */
static int boot_from(struct uefi_program *p, efi_handle nic, struct nbd_diag *d)
{
	int rc;

	p->net.root_path = p->conf.root.from_dhcp;
	p->net.ip4 = LWIP_IPV6 && all_ip4(&p->conf.root);
	rc = uefi_net_up(&p->net, nic, p->conf.cmd.ip, d);
	if (rc)
		return rc;
	p->t_net = nbd_now_ms();
	/* the windows of several would be more than the driver takes */
	if (p->net.snp.e.window)
		p->conf.cmd.connections = 1;
	say_net(p);
	rc = expand(p, d);
	if (!rc)
		rc = uefi_drive_open(&p->drive, p, d);
	if (!rc) {
		p->t_disk = nbd_now_ms();
		p->started = true;
		say_disk(p);
		rc = uefi_start(p, d);
	}
	uefi_drive_close(&p->drive);
	uefi_net_down(&p->net);
	return rc;
}

static int boot(struct uefi_program *p, struct nbd_diag *d)
{
	efi_handle *list;
	int n, rc = boot_conf_parse(&p->conf, p->text, d);

	if (rc)
		return nbd_diag_prefix(d, rc, "%s", p->source);
	n = rc = uefi_net_find(&list, d);
	if (rc < 0)
		return rc;
	for (int i = 0; i < n; i++) {
		rc = boot_from(p, list[i], d);
		/* another interface may reach another network */
		if (!rc || p->started || rc == NBD_E_INTERRUPTED)
			break;
		if (i + 1 < n)
			efi_print("nbdboot: %s; trying the next interface\n",
				  d->text);
	}
	efi_free(list);
	return rc;
}

static void fail(int rc, const struct nbd_diag *d)
{
	const char *hint = nbd_err_hint(rc);

	efi_print("nbdboot: FAILED: %s%s%s%s\n"
		  "nbdboot: back to the firmware's next boot entry\n",
		  d->text, *hint ? " (" : "", hint, *hint ? ")" : "");
}

efi_status uefi_main(efi_handle image, struct efi_system *st);

efi_status uefi_main(efi_handle image, struct efi_system *st)
{
	struct uefi_program *p;
	struct nbd_diag d = { "" };
	int rc;

	if (efi_init(image, st))
		return EFI_LOAD_ERROR;
	efi_print("nbdboot %s\n", boot_version);
	p = efi_pages(sizeof(*p));
	if (!p)
		return EFI_OUT_OF_RESOURCES;
	memset(p, 0, sizeof(*p));
	/* an earlier one, or the operating system, may have left it */
	uefi_handover_forget();
	uefi_source(p);
	rc = boot(p, &d);
	if (p->unnamed && uefi_source_ask(p))
		rc = boot(p, &d);
	if (rc)
		fail(rc, &d);
	efi_free_pages(p, sizeof(*p));
	return rc ? EFI_NOT_FOUND : EFI_SUCCESS;
}
