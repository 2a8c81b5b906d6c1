# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_KEEP) += $(addprefix boot/keep/, blocks.o companions.o \
	ext4_index.o keep_list.o locked.o needed.o walk.o)
