# SPDX-License-Identifier: BSD-2-Clause
port-$(CONFIG_PORT_LINUX) += port/linux/netlink.o port/linux/dir.o \
	port/linux/file.o
port-$(CONFIG_PORT_LINUX) += port/linux/module.o port/linux/module_alias.o
port-$(CONFIG_BOOT_IMAGE) += port/linux/module_bus.o
port-$(CONFIG_PORT_LINUX) += port/linux/iface.o port/linux/iface_path.o port/linux/packet.o \
	port/linux/eapol.o port/linux/udp6.o \
	port/linux/suspend.o
port-$(CONFIG_PORT_LINUX) += port/linux/nbdk.o port/linux/nbdk_sys.o \
	port/linux/nbdk_watch.o
port-$(CONFIG_PORT_LINUX) += $(if $(CONFIG_BOOT_LIST), \
	port/linux/nbdk_users.o,port/linux/nonbdk_users.o)
ifeq ($(CONFIG_PORT_MBEDTLS),y)
port-$(CONFIG_PORT_LINUX) += port/linux/ktls.o
endif
port-$(CONFIG_BOOT_NBD_CLIENT) += port/linux/nbdk_ioctl.o
port-$(or $(CONFIG_BOOT_TORAM),$(CONFIG_BOOT_IMAGE),$(CONFIG_BOOT_OSTREE),$(CONFIG_BOOT_PREFETCH)) += \
	port/linux/loop.o
port-$(or $(CONFIG_BOOT_OSTREE),$(CONFIG_BOOT_PREFETCH)) += \
	port/linux/inside.o
port-$(CONFIG_PORT_LINUX) += port/linux/sockdiag.o port/linux/process.o
port-$(CONFIG_BOOT_SHUTDOWN) += port/linux/closing.o
port-$(CONFIG_BOOT_REROOT) += port/linux/ptrace_exec.o
port-$(CONFIG_PORT_DM) += port/linux/dm.o
port-$(CONFIG_BOOT_SEAL) += port/tpm.o port/linux/tpm_device.o
