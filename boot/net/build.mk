# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/net/, ip.o network.o)
boot-$(CONFIG_BOOT_DHCP) += $(addprefix boot/net/, dhcp.o dhcp_msg.o)
