# SPDX-License-Identifier: BSD-2-Clause
port-$(CONFIG_PORT_POSIX) += port/posix/clock.o port/posix/sock.o \
	port/posix/stack.o port/posix/$(if $(CONFIG_PORT_FROM),from,nofrom).o
ifeq ($(CONFIG_PORT_RESOLVER),y)
port-$(CONFIG_PORT_POSIX) += port/posix/resolve.o
else
port-$(CONFIG_PORT_POSIX) += port/posix/noresolver.o
endif
