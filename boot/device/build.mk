# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_CLI) += boot/device/attach.o boot/device/limit.o boot/device/settle.o \
	boot/device/wait.o \
	boot/device/$(if $(CONFIG_PORT_MBEDTLS),tls,notls).o \
	boot/device/reader.o \
	boot/device/$(if $(CONFIG_BOOT_IDENTITY),identity,noidentity).o \
	boot/device/$(if $(or $(CONFIG_BOOT_SCRIPTS),$(CONFIG_BOOT_NBD_CLIENT), \
	$(CONFIG_BOOT_DIALECTS)),signals,nosignals).o \
	$(addprefix boot/device/,$(if $(CONFIG_BOOT_RECONNECT),await.o backend.o \
	decoy.o device.o dialer.o files.o peers.o readers.o revive.o slots.o swap.o,noreconnect.o))
boot-$(CONFIG_BOOT_LIST) += boot/device/latency.o boot/device/names.o
boot-$(CONFIG_BOOT_TUNE) += boot/device/tune.o
words-$(CONFIG_BOOT_RECONNECT) += device_slots
words-$(CONFIG_BOOT_IDENTITY) += device_identity
