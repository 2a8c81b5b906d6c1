# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_VERITY) += boot/verity/tree.o boot/verity/wanted.o
boot-$(CONFIG_BOOT_LIARS) += boot/verity/path.o boot/verity/shape.o
