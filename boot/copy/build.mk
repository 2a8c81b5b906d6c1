# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_COPY) += $(addprefix boot/copy/, loop.o scan.o file.o nbd.o \
	progress.o)
