# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_WATCH) += boot/watch/watch.o boot/watch/worker.o \
	boot/watch/servers.o boot/watch/uevent.o boot/watch/fork.o \
	boot/watch/takeover.o boot/watch/stall.o boot/watch/ask.o boot/watch/units.o
boot-$(CONFIG_BOOT_WATCH) += boot/watch/$(if $(CONFIG_BOOT_LIARS),liar,noliar).o
boot-$(if $(CONFIG_BOOT_MAPPER),$(CONFIG_BOOT_WATCH)) += boot/watch/growth.o
