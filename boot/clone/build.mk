# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_CLONE) += $(addprefix boot/clone/, clone.o disk.o mark.o outlook.o spec.o throttle.o)
