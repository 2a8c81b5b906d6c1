# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/init/, init.o drivers.o mount.o \
	part.o program.o recover.o steps.o super.o switch.o)
boot-$(CONFIG_BOOT_WATCH) += $(if $(CONFIG_BOOT_INIT),boot/init/spawn.o)
boot-$(CONFIG_BOOT_PRELOAD) += boot/init/preload.o
boot-$(CONFIG_BOOT_SHUTDOWN) += boot/init/shutdown.o boot/init/unmount.o
boot-$(CONFIG_BOOT_REROOT) += $(addprefix boot/init/, beside.o keep.o reroot.o)
boot-$(CONFIG_BOOT_ONFAIL) += boot/init/onfail.o
boot-$(CONFIG_BOOT_OVERLAY) += boot/init/overlay.o
boot-$(CONFIG_BOOT_CONTENT) += boot/init/content.o
boot-$(CONFIG_BOOT_IMAGE) += boot/init/image.o
boot-$(CONFIG_BOOT_TORAM) += boot/init/toram.o
