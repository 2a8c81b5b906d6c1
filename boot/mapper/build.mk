# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_MAPPER) += $(addprefix boot/mapper/, aside.o below.o grow.o \
	mapper.o mapping.o mend.o stack.o)
