# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/net/, ip.o \
	$(if $(CONFIG_BOOT_DHCP),dhcp.o dhcp_msg.o export.o job.o net.o \
	plan.o prepare.o ra.o renew.o,static.o))
boot-$(CONFIG_BOOT_RENEW) += boot/net/renewd.o
