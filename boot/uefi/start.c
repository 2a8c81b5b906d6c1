/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting: the boot loader of the disk's first volume that has one, or a
 * kernel that is named.  Everything passes the firmware's LoadImage, and so the
 * checks of Secure Boot.
 */
#include "boot/uefi/program.h"

#include <string.h>

#include "boot/uefi/input.h"
#include "boot/uefi/signed.h"

#if defined(__x86_64__)
#define LOADER "EFI/BOOT/BOOTX64.EFI"
#else
#define LOADER "EFI/BOOT/BOOTAA64.EFI"
#endif

static efi_status load_from_volume(const struct uefi_input *in, efi_handle *h)
{
	const struct efi_path *volume = efi_path_of(in->volume);
	uint64_t path[256];
	efi_char name[256];
	int n = efi_widen(name, sizeof(name) / sizeof(name[0]), in->name, true);

	if (n < 0 || efi_path_add(path, sizeof(path), volume, EFI_PATH_MEDIA,
				  EFI_PATH_FILE, name,
				  ((size_t)n + 1) * sizeof(name[0])) < 0)
		return EFI_BUFFER_TOO_SMALL;
	return efi.bs->load_image(false, efi.image, (struct efi_path *)path,
				  NULL, 0, h);
}

/* What was checked is what is started: no volume is read again. */
static efi_status load_from_memory(struct uefi_input *in, efi_handle *h,
				   struct nbd_diag *d)
{
	size_t len = (size_t)in->size;
	void *buf = efi_pages(len);
	efi_status s;

	if (!buf)
		return EFI_OUT_OF_RESOURCES;
	s = uefi_input_read(in, buf, d)
		    ? EFI_DEVICE_ERROR
		    : efi.bs->load_image(false, efi.image, NULL, buf, len, h);
	efi_free_pages(buf, len);
	return s;
}

static int load(struct uefi_program *p, struct uefi_input *in, efi_handle *h,
		struct nbd_diag *d)
{
	uint64_t begin = nbd_now_ms();
	efi_status s;
	int rc;

	d->text[0] = '\0';
	s = in->volume && !in->hash ? load_from_volume(in, h)
				    : load_from_memory(in, h, d);
	if (s && d->text[0])
		return efi_error(s);
	if (s)
		return nbd_diag(d, efi_error(s), "load %s: %s%s", in->name,
				efi_text(s),
				s == EFI_SECURITY || s == EFI_ACCESS_DENIED
					? " by Secure Boot: it is not signed "
					  "with a key that this machine trusts"
					: "");
	rc = uefi_signed_words(efi_protocol(*h, &efi_guid_loaded_image),
			       p->options, d);
	if (rc)
		return nbd_diag_prefix(d, rc, "%s", in->name);
	p->t_start = nbd_now_ms();
	efi_print("nbdboot: %s: loaded in %llu ms; starting it%s%s\n", in->name,
		  (unsigned long long)(p->t_start - begin),
		  p->options[0] ? " with " : "", p->options);
	return NBD_OK;
}

static void set_options(struct uefi_program *p, efi_handle h)
{
	struct efi_loaded_image *image =
		efi_protocol(h, &efi_guid_loaded_image);
	size_t n = 0;

	while (p->wide[n])
		n++;
	if (!n || !image)
		return;
	image->options = p->wide;
	image->options_len = (uint32_t)((n + 1) * sizeof(p->wide[0]));
}

static int start(struct uefi_program *p, struct uefi_input *in,
		 struct nbd_diag *d)
{
	efi_handle h = NULL;
	efi_status s;
	int rc = load(p, in, &h, d);

	if (rc) {
		/* it may be there, as with EFI_SECURITY, but must not run */
		if (h)
			efi.bs->unload_image(h);
		return rc;
	}
	set_options(p, h);
	uefi_handover_tell(p);
	s = efi.bs->start_image(h, NULL, NULL);
	uefi_handover_forget();
	if (!s)
		efi_print("nbdboot: %s: ended\n", in->name);
	return s ? nbd_diag(d, efi_error(s), "%s: ended: %s", in->name,
			    efi_text(s))
		 : NBD_OK;
}

int uefi_start(struct uefi_program *p, struct nbd_diag *d)
{
	struct uefi_input *in = &p->kernel;
	int rc = uefi_input_open(in, p,
				 p->conf.kernel ? p->conf.kernel : LOADER,
				 p->conf.kernel_hash, d);

	if (!rc)
		rc = uefi_signed_initrd(&p->conf, d);
	if (!rc)
		rc = uefi_initrd_add(&p->initrds, &p->conf, p, d);
	if (!rc)
		rc = uefi_handover_words(p, d);
	if (!rc)
		rc = uefi_handover_watch(p, d);
	if (!rc)
		rc = start(p, in, d);
	uefi_handover_unwatch(p);
	uefi_initrd_remove(&p->initrds);
	uefi_input_close(in);
	return rc;
}
