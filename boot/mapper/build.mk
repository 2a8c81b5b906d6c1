# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_MAPPER) += $(addprefix boot/mapper/, mapper.o stack.o)
