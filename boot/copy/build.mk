# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_COPY) += $(addprefix boot/copy/, loop.o passes.o interrupt.o \
	scan.o file.o hidden.o overlap.o nbd.o link.o progress.o range.o resume.o \
	send.o pace.o piece.o samples.o tasks.o delta.o)
boot-$(or $(CONFIG_BOOT_COPY_PART),$(CONFIG_BOOT_COPY_TREE)) += boot/copy/peek.o
boot-$(CONFIG_BOOT_COPY) += boot/copy/$(if $(CONFIG_BOOT_COPY_TREE),,no)hash_tree.o
boot-$(CONFIG_BOOT_COPY) += $(addprefix boot/copy/, \
	$(if $(CONFIG_BOOT_COPY_HASH),sum.o sum_rest.o,nosum.o))
boot-$(CONFIG_BOOT_COPY) += $(addprefix boot/copy/, \
	$(if $(CONFIG_BOOT_COPY_RESCUE),map.o map_text.o rescue.o \
	rescue_map.o,norescue.o))
