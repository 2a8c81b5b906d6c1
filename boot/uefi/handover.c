/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the operating system takes over: words of its command line, a variable
 * with the same words for those whose command line is fixed, and the server,
 * which hears goodbye when the firmware ends.
 */
#include "boot/uefi/program.h"

#include <string.h>

/* "nbd://a/x,nbd://b/x" */
static void put_uris(struct nbd_out *o, const struct root_spec *r)
{
	char uri[1024];
	unsigned n = 0;

	for (unsigned i = 0; i < r->uris; i++) {
		int len = nbd_uri_print(&r->uri[i], uri, sizeof(uri));

		if (len < 0)
			continue;
		if (n++)
			nbd_put(o, ",", 1);
		nbd_put(o, uri, (size_t)len);
	}
}

/* NULL deletes it, whatever attributes it has. */
static void set_variable(const char *text, size_t len)
{
	efi.rt->set_variable(u"NbdBootLease", &efi_guid_nbdboot,
			     text ? EFI_VARIABLE_BOOT_AND_RUNTIME : 0, len,
			     text);
}

void uefi_handover_forget(void)
{
	set_variable(NULL, 0);
}

void uefi_handover_tell(const struct uefi_program *p)
{
	char text[2047];
	struct nbd_out o = { .buf = text, .cap = sizeof(text) };
	uint16_t entry;
	size_t len = sizeof(entry);

	/* one with other attributes would stay as it is */
	uefi_handover_forget();
	nbd_putf(&o, "nbdroot=");
	put_uris(&o, &p->root);
	boot_lease_put(&o, &p->net.lease, p->net.ip_text);
	boot_lease_bootif(&o, p->net.mac);
	/* a system that another boot entry starts has its own root */
	if (!efi.rt->get_variable(u"BootCurrent", &efi_guid_global, NULL, &len,
				  &entry))
		nbd_putf(&o, "\nboot=%04x", entry);
	/* without it, only a fixed command line is worse off */
	if (!o.cut)
		set_variable(text, o.len);
}

/*
 * What the words lack: a server that DHCP has named, the address, and which
 * interface has it.  An ip= that names a device says that itself.
 */
static void put_missing(struct nbd_out *o, const struct uefi_program *p)
{
	const struct boot_conf *c = &p->conf;

	if (c->root.from_dhcp) {
		/* root= may name a partition of the export */
		nbd_putf(o, c->cmd.root ? " nbdroot=" : " root=");
		put_uris(o, &p->root);
	}
	if (!c->cmd.ip)
		boot_lease_put(o, &p->net.lease, p->net.ip_text);
	if (!c->bootif && !p->net.ip.device[0])
		boot_lease_bootif(o, p->net.mac);
}

int uefi_handover_words(struct uefi_program *p, struct nbd_diag *d)
{
	struct nbd_out o = { .buf = p->options, .cap = sizeof(p->options) - 1 };

	if (p->conf.kernel || p->conf.for_kernel) {
		nbd_put(&o, p->conf.words, strlen(p->conf.words));
		put_missing(&o, p);
	}
	p->options[o.len] = '\0';
	if (p->options[0] == ' ')
		memmove(p->options, p->options + 1, o.len);
	if (!o.cut && efi_widen(p->wide, CMDLINE_MAX, p->options, false) >= 0)
		return NBD_OK;
	return nbd_diag(d, NBD_E_NO_MEMORY,
			"command line: longer than %d bytes", CMDLINE_MAX - 1);
}

/*
 * The firmware ends.  A server that allows one client would keep the next one
 * waiting if this connection stayed.
 */
static void on_exit(efi_event event, void *ctx)
{
	struct uefi_program *p = ctx;

	(void)event;
	/* its timer has stopped */
	efi.ends = true;
	/* keys and messages are over */
	p->net.idle = NULL;
	uefi_session_end(&p->drive.session);
	uefi_session_end(&p->kernel.session);
	for (unsigned i = 0; i < p->initrds.n; i++)
		uefi_session_end(&p->initrds.file[i].session);
	uefi_net_exit(&p->net);
}

int uefi_handover_watch(struct uefi_program *p, struct nbd_diag *d)
{
	efi_status s = efi.bs->create_event_ex(EFI_EVENT_SIGNAL,
					       EFI_TPL_CALLBACK, on_exit, p,
					       &efi_guid_exit, &p->exit);

	/* newer firmware stops interfaces before ExitBootServices */
	if (!s &&
	    efi.bs->create_event_ex(EFI_EVENT_SIGNAL, EFI_TPL_CALLBACK, on_exit,
				    p, &efi_guid_pre_exit, &p->pre_exit))
		p->pre_exit = NULL;
	return s ? nbd_diag(d, efi_error(s), "event: %s", efi_text(s)) : NBD_OK;
}

void uefi_handover_unwatch(struct uefi_program *p)
{
	if (p->exit)
		efi.bs->close_event(p->exit);
	if (p->pre_exit)
		efi.bs->close_event(p->pre_exit);
	p->exit = p->pre_exit = NULL;
}
