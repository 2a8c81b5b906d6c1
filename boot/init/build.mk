# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/init/, init.o cmdline.o console.o \
	drivers.o ip.o mount.o network.o part.o program.o super.o switch.o \
	$(if $(CONFIG_BOOT_WATCH),watch.o))

# make initramfs [KERNEL=version or path] [MODULES="names, or default"]
#                [ADD=folder] [TLS_DIR=folder] [OUT=file]
initramfs: $(O)/nbdboot
	$(Q)sh boot/init/mkinitramfs.sh -b '$<' $(if $(KERNEL),-k '$(KERNEL)') \
		$(if $(MODULES),-m '$(MODULES)') $(if $(ADD),-a '$(ADD)') \
		$(if $(TLS_DIR),-t '$(TLS_DIR)') \
		'$(or $(OUT),$(O)/initramfs.gz)'
.PHONY: initramfs
