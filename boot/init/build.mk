# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/init/, init.o cmdline.o console.o \
	drivers.o ip.o mount.o network.o part.o program.o super.o switch.o)
