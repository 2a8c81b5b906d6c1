# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/root/, \
	$(if $(CONFIG_BOOT_DIALECTS),connect.o machine.o,plain.o))
