# SPDX-License-Identifier: BSD-2-Clause
# TCP/IP by lwIP 2.1, compiled from source with a configuration of its own
# (lwipopts.h):
#
#   make LWIP_DIR=dir     another source than Debian's source package
lwip-src := $(or $(LWIP_DIR),build/lwip)

ifeq ($(CONFIG_PORT_LWIP),y)
port-y += $(addprefix port/lwip/, stack.o netif.o link.o resolve.o)
port-y += port/lwip/$(if $(CONFIG_PORT_LWIP_IPV6),ip6,noip6).o \
	port/lwip/$(if $(CONFIG_PORT_LWIP_DHCP),dhcp,nodhcp).o \
	port/lwip/$(if $(CONFIG_PORT_LWIP_DNS),name_servers,noname_servers).o
lwip-out := $(O)/liblwip
lwip-obj := $(patsubst %,$(lwip-out)/%.o, \
	$(addprefix core/, def inet_chksum init ip mem memp netif pbuf tcp \
	tcp_in tcp_out timeouts udp) \
	$(addprefix core/ipv4/, \
	$(if $(CONFIG_PORT_LWIP_DHCP),dhcp) etharp icmp ip4 ip4_addr \
	$(if $(CONFIG_PORT_LWIP_FRAGMENTS),ip4_frag)) \
	$(if $(CONFIG_PORT_LWIP_IPV6),$(addprefix core/ipv6/, ethip6 icmp6 \
	inet6 ip6 ip6_addr ip6_frag mld6 nd6)) netif/ethernet)
lwip-ready := $(lwip-src)/src/include/lwip/tcp.h
world-lib += $(O)/liblwip.a
# Files outside may include port/lwip/lwip.h, which includes lwIP's headers.
cpp += -isystem $(lwip-src)/src/include -Iport/lwip
$(O)/port/lwip/stack.o: cpp += -DLWIP_PACKAGE='"$(shell sed -n \
	'1s/.*(\(.*\)).*/ (Debian \1)/p' $(lwip-src)/debian/changelog \
	2>/dev/null)"'
$(O)/autoconf.h: | $(lwip-ready)
endif

build/lwip/src/include/lwip/tcp.h:
	$(Q)sh port/fetch.sh lwip build/lwip
$(lwip-obj): $(lwip-out)/%.o: port/lwip/lwipopts.h port/lwip/arch/cc.h \
		$(O)/autoconf.h | $(lwip-ready)
	$(call say,CC,$@)
	$(in-dir)
	$(Q)$(CC) $(base) -w $(cpp) $(CFLAGS) -c -o $@ \
		$(lwip-src)/src/$*.c
# lwIP's slip: the name has a declaration by luck alone, and gcc 14 wants one.
$(lwip-out)/core/ipv6/nd6.o: cpp += -Dhtonl=lwip_htonl
$(O)/liblwip.a: $(lwip-obj)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
