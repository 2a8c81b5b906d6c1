# SPDX-License-Identifier: BSD-2-Clause
port-$(CONFIG_PORT_POSIX) += port/posix/clock.o port/posix/open.o \
	port/posix/sock.o port/posix/stack.o \
	port/posix/$(if $(CONFIG_PORT_FROM),from,nofrom).o
ifeq ($(CONFIG_PORT_RESOLVER),y)
port-$(CONFIG_PORT_POSIX) += port/posix/resolve.o
# A static musl takes this heap instead of its own, if -u asks for it first.
ifneq ($(and $(STATIC),$(findstring musl,$(CC)$(musl-dir))),)
port-$(CONFIG_PORT_POSIX) += port/posix/heap.o
ldflags += -Wl,-u,calloc
endif
else
port-$(CONFIG_PORT_POSIX) += port/posix/noresolver.o
endif
