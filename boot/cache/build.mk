# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_CACHE) += $(addprefix boot/cache/, cache_spec.o fill.o half.o store.o use.o)
