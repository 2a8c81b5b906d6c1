# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_PREFETCH) += boot/prefetch/extents.o
boot-$(CONFIG_BOOT_PREFETCH) += boot/prefetch/fetch.o
boot-$(CONFIG_BOOT_PREFETCH) += $(addprefix boot/prefetch/, \
	distance.o guard.o learn.o seen.o trace.o)
