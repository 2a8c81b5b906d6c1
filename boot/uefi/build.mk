# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_WORLD_UEFI) += $(addprefix boot/uefi/, cache.o \
	dhcp_frames.o drive.o encoding.o handover.o initrd.o input.o nic.o \
	session.o smbios.o source.o start.o uefi.o where.o) \
	$(addprefix boot/words/, boolean.o cmdline.o conf.o dhcp_msg.o ip.o lease.o \
	nodomains.o uris.o version.o word.o) \
	boot/net/dhcp.o \
	$(if $(CONFIG_PORT_MBEDTLS),boot/uefi/nbds.o boot/words/uri_tls.o, \
	boot/uefi/nonbds.o)
boot-$(CONFIG_WORLD_UEFI) += boot/words/$(if $(CONFIG_BOOT_UEFI_HASH),hash,nohash).o
boot-$(CONFIG_WORLD_UEFI) += $(if $(CONFIG_BOOT_UEFI_UNSIGNED),boot/uefi/nosigned.o,\
	boot/uefi/signed.o boot/uefi/pe.o)
words-$(CONFIG_WORLD_UEFI) += boot_conf

# In a directory of its own for each machine: the compiler is another one.
efi-dir = $(O)/$(efi-config)-$(or $(ARCH),x86_64)
efi-config = uefi$(if $(TLS),_tls,$(if $(IPV6),_ipv6))
uefi: ## nbdboot.efi, for firmware: ARCH=aarch64 IPV6=1, or TLS=1 (with IPv6)
	$(Q)+$(MAKE) -s O=$(efi-dir) $(efi-config)_defconfig
	$(Q)+$(MAKE) -s O=$(efi-dir) all
.PHONY: uefi
