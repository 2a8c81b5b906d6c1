# SPDX-License-Identifier: BSD-2-Clause
# make initramfs [KERNEL=version or path] [MODULES="names, all or auto"]
#                [FIRMWARE_DIR=directory] [OVERLAY=1] [ADD=directory]
#                [TLS_DIR=directory]
#                [COMPRESS=gzip, zstd or none] [OUT=file]
#
# With ARCH= and no KERNEL= it takes Debian's kernel for that CPU, which is
# downloaded to BUILD/kernel.
kernel = $(or $(KERNEL),$(if $(ARCH),$(shell sh tests/kernel.sh '$(O)/kernel' \
	'' '$(ARCH)' | sed -n 2p)))
ending := $(if $(COMPRESS),$(patsubst none,cpio,$(COMPRESS:zstd=zst)),gz)
initramfs: $(O)/nbdboot ## an initramfs: KERNEL= MODULES= TLS_DIR= OUT=
	$(Q)sh boot/initramfs/mkinitramfs.sh -b '$<' $(if $(kernel),-k '$(kernel)') \
		$(if $(MODULES),-m '$(MODULES)') $(if $(ADD),-a '$(ADD)') \
		$(if $(FIRMWARE_DIR),-f '$(FIRMWARE_DIR)') \
		$(if $(TLS_DIR),-t '$(TLS_DIR)') $(if $(OVERLAY),-o) \
		$(if $(COMPRESS),-z '$(COMPRESS)') \
		'$(or $(OUT),$(O)/initramfs.$(ending:gzip=gz))'
.PHONY: initramfs
