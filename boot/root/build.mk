# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_DIALECTS) += $(addprefix boot/root/, root.o forms.o \
	options.o text.o machine.o connect.o) boot/cli/parse_root.o
boot-$(CONFIG_BOOT_INIT) += $(if $(CONFIG_BOOT_DIALECTS),,boot/root/plain.o)
