# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_CLI) += $(addprefix boot/cli/, main.o args.o out.o target.o \
	size.o cmd_connect.o cmd_disconnect.o cmd_help.o)
boot-$(CONFIG_BOOT_LIST) += boot/cli/cmd_list.o
boot-$(CONFIG_BOOT_RECONNECT) += boot/cli/cmd_reconnect.o boot/cli/links.o
boot-$(CONFIG_BOOT_WATCH) += boot/cli/cmd_watch.o
boot-$(CONFIG_BOOT_EXPORTS) += boot/cli/cmd_exports.o
boot-$(CONFIG_BOOT_INFO) += boot/cli/cmd_info.o boot/cli/map.o
boot-$(CONFIG_BOOT_COPY) += boot/cli/cmd_copy.o
boot-$(CONFIG_BOOT_MODULES) += boot/cli/cmd_modules.o
boot-$(CONFIG_BOOT_INIT) += boot/cli/cmd_init.o
boot-$(CONFIG_BOOT_TIMES) += boot/cli/cmd_boot_time.o
boot-$(CONFIG_BOOT_SHUTDOWN) += boot/cli/cmd_shutdown.o
boot-$(CONFIG_BOOT_DIALECTS) += boot/cli/cmd_parse_root.o
boot-$(CONFIG_BOOT_DHCP) += boot/cli/cmd_ifup.o
boot-$(CONFIG_BOOT_RENEW) += boot/cli/cmd_renew.o
