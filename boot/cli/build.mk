# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_CLI) += boot/attach.o boot/cli/main.o boot/cli/args.o \
	boot/cli/out.o boot/cli/target.o boot/cli/help.o boot/cli/version.o \
	boot/cli/connect.o boot/cli/disconnect.o boot/cli/size.o \
	boot/uris.o
boot-$(CONFIG_BOOT_LIST) += boot/cli/list.o
boot-$(CONFIG_BOOT_EXPORTS) += boot/cli/exports.o
boot-$(CONFIG_BOOT_INFO) += boot/cli/info.o boot/cli/map.o
boot-$(CONFIG_BOOT_MODULES) += boot/cli/modules.o
boot-$(CONFIG_BOOT_INIT) += boot/cli/root.o
boot-$(CONFIG_BOOT_TIMES) += boot/times.o boot/cli/boot_time.o
boot-$(CONFIG_BOOT_SHUTDOWN) += boot/cli/shutdown.o
boot-$(CONFIG_BOOT_DHCP) += boot/cli/ifup.o
boot-$(CONFIG_BOOT_CLI) += \
	$(if $(CONFIG_PORT_MBEDTLS),boot/secure.o,boot/insecure.o)
boot-$(CONFIG_BOOT_CLI) += \
	$(if $(CONFIG_BOOT_RECONNECT),boot/backend.o boot/dialer.o \
	boot/slots.o boot/swap.o boot/device.o,boot/single.o)
boot-$(CONFIG_BOOT_RECONNECT) += boot/cli/reconnect.o boot/cli/links.o
