# SPDX-License-Identifier: BSD-2-Clause
port-$(CONFIG_PORT_POSIX) += port/posix/clock.o port/posix/open.o \
	port/posix/address.o port/posix/sock.o port/posix/stack.o \
	port/posix/$(if $(CONFIG_PORT_FROM),from,nofrom).o
port-$(CONFIG_PORT_POSIX) += $(if $(CONFIG_PORT_RESOLVER),port/dns_msg.o \
	$(addprefix port/posix/, dns.o lines.o resolve.o) \
	$(if $(CONFIG_PORT_SRV),port/dns_srv.o port/posix/service.o, \
	port/nodns_srv.o port/posix/noservice.o), \
	port/posix/noresolver.o)
