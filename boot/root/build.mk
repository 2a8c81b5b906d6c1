# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += boot/root/connect.o \
	$(if $(CONFIG_BOOT_HANDED),boot/root/handed.o) \
	$(if $(CONFIG_BOOT_DIALECTS),boot/root/balance.o boot/root/machine.o,\
	boot/root/plain.o) \
	boot/root/$(if $(CONFIG_BOOT_OVERLAY),shared,noshared).o
words-$(if $(CONFIG_BOOT_INIT),$(CONFIG_BOOT_DIALECTS)) += root_balance
