# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += boot/root/connect.o \
	boot/root/$(if $(CONFIG_BOOT_DIALECTS),machine,plain).o
