# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/net/, hostname.o \
	$(if $(CONFIG_BOOT_DHCP),dhcp.o dhcp6.o handoff.o failure.o job.o \
	job6.o jobsock.o kept.o net.o prepare.o ra.o renew.o select.o,static.o))
boot-$(if $(CONFIG_BOOT_DHCP),$(CONFIG_BOOT_INIT)) += $(addprefix boot/net/, \
	$(if $(CONFIG_BOOT_LEASE6),joblease6.o lease6.o renew6.o,nolease6.o))
boot-$(if $(CONFIG_BOOT_LEASE6),,$(CONFIG_BOOT_SHUTDOWN)) += \
	boot/net/norelease6.o
boot-$(CONFIG_BOOT_LOGIN) += boot/net/admit.o boot/net/login.o
boot-$(CONFIG_BOOT_RENEW) += boot/net/renewd.o
