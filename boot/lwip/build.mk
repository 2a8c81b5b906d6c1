# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_WORLD_LWIP) += $(addprefix boot/lwip/, main.o options.o out.o \
	tap.o info.o copy.o check.o) \
	boot/lwip/$(if $(CONFIG_PORT_MBEDTLS),tls,notls).o
