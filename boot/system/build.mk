# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += boot/system/cmdline_read.o
boot-$(if $(CONFIG_BOOT_INIT)$(CONFIG_BOOT_WATCH),y) += boot/system/console.o
boot-$(CONFIG_BOOT_TIMES) += boot/system/times.o boot/system/times_parse.o
boot-$(CONFIG_BOOT_WATCH) += boot/system/harden.o \
	boot/system/$(if $(CONFIG_BOOT_SECCOMP),confine,noconfine).o
boot-$(if $(CONFIG_BOOT_WATCH)$(CONFIG_BOOT_SCRIPTS),y) += boot/system/ready.o
