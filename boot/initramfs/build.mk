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
# $(call option,-X,VALUE): in words of the shell, whatever is in VALUE
option = $(if $2,$1 '$(subst ','\'',$2)')
initramfs: $(O)/nbdboot ## an initramfs: KERNEL= MODULES= TLS_DIR= OUT=
	$(Q)sh boot/initramfs/mkinitramfs.sh -b '$<' $(call option,-k,$(kernel)) \
		$(call option,-m,$(MODULES)) $(call option,-a,$(ADD)) \
		$(call option,-f,$(FIRMWARE_DIR)) \
		$(call option,-t,$(TLS_DIR)) $(if $(OVERLAY),-o) \
		$(call option,-p,$(PREFETCH)) \
		$(call option,-v,$(ROOTHASH)) \
		$(call option,-w,$(WITH)) $(call option,-y,$(LUKS_KEY)) \
		$(call option,-x,$(LOGIN)) \
		$(call option,-z,$(COMPRESS)) \
		$(call option,,$(initramfs-out))

# make uki [CMDLINE="words"] [MICROCODE=archive] [STUB=file] [UKI=file], and the
# words of initramfs.  KERNEL= is a version or an image here, not a directory.
uki-image = $(or $(KERNEL),$(if $(ARCH),$(shell sh tests/kernel.sh \
	'$(O)/kernel' '' '$(ARCH)' | sed -n 1p)))
uki: initramfs ## a UEFI program of kernel, initramfs and words: CMDLINE= UKI=
	$(Q)sh boot/initramfs/mkuki.sh $(call option,-k,$(uki-image)) \
		$(call option,-c,$(CMDLINE)) $(call option,-s,$(STUB)) \
		$(call option,-i,$(MICROCODE)) \
		$(if $(triplet),-o $(triplet)-objcopy) \
		$(call option,-i,$(initramfs-out)) \
		$(call option,,$(or $(UKI),$(O)/nbdboot-uki.efi))
.PHONY: initramfs uki
