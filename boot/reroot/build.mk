# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_REROOT) += $(addprefix boot/reroot/, network.o old.o prove.o \
	leave.o soft.o words.o)
