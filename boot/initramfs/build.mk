# SPDX-License-Identifier: BSD-2-Clause
# make initramfs [KERNEL=version or path] [MODULES="names, all or auto"]
#                [FIRMWARE_DIR=directory] [OVERLAY=1] [ADD=directory]
#                [TLS_DIR=directory] [PREFETCH=list] [ROOTHASH=hash]
#                [WITH=lvm,cryptsetup,mdadm,wpa_supplicant] [LUKS_KEY=file]
#                [LOGIN=directory]
#                [COMPRESS=gzip, zstd or none] [OUT=file]
#
# With ARCH= and no KERNEL= it takes Debian's kernel for that CPU, which is
# downloaded to BUILD/kernel.
kernel = $(or $(KERNEL),$(if $(ARCH),$(shell sh tests/kernel.sh '$(O)/kernel' \
	'' '$(ARCH)' | sed -n 2p)))
ending := $(if $(COMPRESS),$(patsubst none,cpio,$(COMPRESS:zstd=zst)),gz)
initramfs-out = $(or $(OUT),$(O)/initramfs.$(ending:gzip=gz))
initramfs: $(O)/nbdboot ## an initramfs: KERNEL= MODULES= TLS_DIR= OUT=
	$(Q)sh boot/initramfs/mkinitramfs.sh -b '$<' $(if $(kernel),-k '$(kernel)') \
		$(if $(MODULES),-m '$(MODULES)') $(if $(ADD),-a '$(ADD)') \
		$(if $(FIRMWARE_DIR),-f '$(FIRMWARE_DIR)') \
		$(if $(TLS_DIR),-t '$(TLS_DIR)') $(if $(OVERLAY),-o) \
		$(if $(PREFETCH),-p '$(PREFETCH)') \
		$(if $(ROOTHASH),-v '$(ROOTHASH)') \
		$(if $(WITH),-w '$(WITH)') $(if $(LUKS_KEY),-y '$(LUKS_KEY)') \
		$(if $(LOGIN),-x '$(LOGIN)') \
		$(if $(COMPRESS),-z '$(COMPRESS)') \
		'$(initramfs-out)'

# make uki [CMDLINE="words"] [MICROCODE=archive] [STUB=file] [UKI=file], and the
# words of initramfs.  KERNEL= is a version or an image here, not a directory.
uki-image = $(or $(KERNEL),$(if $(ARCH),$(shell sh tests/kernel.sh \
	'$(O)/kernel' '' '$(ARCH)' | sed -n 1p)))
uki: initramfs ## a UEFI program of kernel, initramfs and words: CMDLINE= UKI=
	$(Q)sh boot/initramfs/mkuki.sh $(if $(uki-image),-k '$(uki-image)') \
		$(if $(CMDLINE),-c '$(CMDLINE)') $(if $(STUB),-s '$(STUB)') \
		$(if $(MICROCODE),-i '$(MICROCODE)') \
		$(if $(triplet),-o $(triplet)-objcopy) \
		-i '$(initramfs-out)' '$(or $(UKI),$(O)/nbdboot-uki.efi)'
.PHONY: initramfs uki
