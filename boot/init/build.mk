# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/init/, init.o cmdline.o console.o \
	drivers.o mount.o part.o program.o recover.o super.o \
	switch.o $(if $(CONFIG_BOOT_WATCH),watch.o))
boot-$(CONFIG_BOOT_AHEAD) += boot/init/ahead.o
boot-$(CONFIG_BOOT_SHUTDOWN) += boot/init/shutdown.o boot/init/unmount.o
boot-$(CONFIG_BOOT_ONFAIL) += boot/init/onfail.o
boot-$(CONFIG_BOOT_OVERLAY) += boot/init/overlay.o

# make initramfs [KERNEL=version or path] [MODULES="names, or auto"]
#                [OVERLAY=1] [ADD=folder] [TLS_DIR=folder]
#                [COMPRESS=gzip, zstd or none] [OUT=file]
ending := $(if $(COMPRESS),$(patsubst none,cpio,$(COMPRESS:zstd=zst)),gz)
initramfs: $(O)/nbdboot
	$(Q)sh boot/init/mkinitramfs.sh -b '$<' $(if $(KERNEL),-k '$(KERNEL)') \
		$(if $(MODULES),-m '$(MODULES)') $(if $(ADD),-a '$(ADD)') \
		$(if $(TLS_DIR),-t '$(TLS_DIR)') $(if $(OVERLAY),-o) \
		$(if $(COMPRESS),-z '$(COMPRESS)') \
		'$(or $(OUT),$(O)/initramfs.$(ending:gzip=gz))'
.PHONY: initramfs
