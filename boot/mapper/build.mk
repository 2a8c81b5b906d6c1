# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_MAPPER) += boot/mapper/mapper.o
