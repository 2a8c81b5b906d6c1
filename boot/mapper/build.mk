# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_MAPPER) += $(addprefix boot/mapper/, below.o mapper.o mend.o stack.o)
boot-$(CONFIG_BOOT_CACHE) += boot/mapper/cached.o
