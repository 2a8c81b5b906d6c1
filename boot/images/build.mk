# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_IMAGES) += $(addprefix boot/images/, images_text.o keep_tries.o \
	list.o tries.o trial.o)
