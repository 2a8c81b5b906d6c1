# SPDX-License-Identifier: BSD-2-Clause
boot-$(or $(CONFIG_BOOT_VERITY),$(CONFIG_BOOT_COPY_TREE)) += \
	boot/verity/tree.o boot/verity/wanted.o
boot-$(CONFIG_BOOT_LIARS) += boot/verity/path.o
boot-$(or $(CONFIG_BOOT_LIARS),$(CONFIG_BOOT_COPY_TREE)) += boot/verity/shape.o
boot-$(CONFIG_BOOT_COPY_TREE) += boot/verity/leaves.o
