# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_PREFETCH) += boot/mapper/mapper.o
