# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += boot/net/mask.o \
	$(if $(CONFIG_BOOT_DHCP),$(addprefix boot/net/, dhcp.o dhcp_msg.o \
	handover.o ip.o job.o net.o plan.o ra.o renew.o),boot/net/static.o)
boot-$(CONFIG_BOOT_RENEW) += boot/net/keep.o
