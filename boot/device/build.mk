# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_CLI) += boot/device/attach.o boot/device/settle.o \
	boot/device/$(if $(CONFIG_PORT_MBEDTLS),tls,notls).o \
	boot/device/$(if $(CONFIG_BOOT_IDENTITY),identity,noidentity).o \
	$(addprefix boot/device/,$(if $(CONFIG_BOOT_RECONNECT),backend.o \
	device.o dialer.o readers.o revive.o slots.o swap.o,noreconnect.o))
boot-$(CONFIG_BOOT_LIST) += boot/device/latency.o
boot-$(CONFIG_BOOT_TUNE) += boot/device/tune.o
