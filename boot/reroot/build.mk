# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_REROOT) += $(addprefix boot/reroot/, after.o beside.o end.o keep.o \
	kernel.o kexec.o network.o old.o prove.o leave.o release.o replace.o \
	run.o soft.o words.o)
words-$(CONFIG_BOOT_REROOT) += reroot_other
steps-$(CONFIG_BOOT_REROOT) += 74-reroot_keep
