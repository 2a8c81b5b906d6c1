# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_IMAGES) += $(addprefix boot/images/, keep_tries.o list.o \
	tries.o trial.o)
boot-$(or $(CONFIG_BOOT_IMAGES),$(CONFIG_BOOT_PREFETCH)) += boot/images/images_text.o
