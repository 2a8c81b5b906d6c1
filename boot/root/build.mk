# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += boot/root/connect.o \
	$(if $(CONFIG_BOOT_HANDED),boot/root/handed.o) \
	boot/root/$(if $(CONFIG_BOOT_DIALECTS),machine,plain).o \
	boot/root/$(if $(CONFIG_BOOT_OVERLAY),shared,noshared).o
