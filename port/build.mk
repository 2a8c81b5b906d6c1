# SPDX-License-Identifier: BSD-2-Clause
port-y += port/pump.o port/text.o port/utf8.o port/diag.o port/dial.o \
	port/dial_explain.o port/export_same.o port/retry.o port/udp4.o port/ip.o
# ip= of firmware may have addresses of IPv6 that it does not use.
port-y += port/$(if $(CONFIG_PORT_LWIP_IPV6)$(filter-out metal,$(world)),ip6,noip6).o
port-$(or $(CONFIG_PORT_RESOLVER),$(CONFIG_PORT_LWIP)) += port/names.o \
	port/dns_msg.o port/$(if $(CONFIG_PORT_SRV),dns_srv,nodns_srv).o
port-$(CONFIG_CORE_IO) += port/latency.o port/disk.o port/dial_more.o
include $(addsuffix /build.mk,$(addprefix port/,linux lwip mbedtls metal posix uefi))
port-$(CONFIG_BOOT_UEFI_HASH) += port/sha256.o
