# SPDX-License-Identifier: BSD-2-Clause
port-$(CONFIG_PORT_POSIX) += port/posix/clock.o port/posix/open.o \
	port/posix/address.o port/posix/sock.o port/posix/stack.o \
	port/posix/$(if $(CONFIG_PORT_FROM),from,nofrom).o
port-$(CONFIG_PORT_POSIX) += $(addprefix port/posix/, \
	$(if $(CONFIG_PORT_RESOLVER),dns.o lines.o resolve.o \
	$(if $(CONFIG_PORT_SRV),service.o,noservice.o),noresolver.o))
