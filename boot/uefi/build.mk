# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_WORLD_UEFI) += $(addprefix boot/uefi/, cache.o conf.o \
	dhcp_frames.o drive.o handover.o initrd.o input.o nonbds.o lease.o nic.o \
	session.o smbios.o source.o start.o uefi.o) \
	$(addprefix boot/common/, cmdline.o uris.o version.o) \
	boot/net/dhcp_msg.o boot/net/ip.o

# In a directory of its own for each machine: the compiler is another one.
efi-dir = $(O)/uefi-$(or $(ARCH),x86_64)
uefi: ## nbdboot.efi, for firmware: ARCH=aarch64
	$(Q)+$(MAKE) -s O=$(efi-dir) uefi_defconfig
	$(Q)+$(MAKE) -s O=$(efi-dir) all
.PHONY: uefi
