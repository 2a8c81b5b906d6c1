# SPDX-License-Identifier: BSD-2-Clause
core-y += core/engine.o core/hello.o core/opt.o core/err.o
core-$(CONFIG_CORE_IO) += core/request.o core/reply.o core/chunk.o \
	core/meta.o
core-$(CONFIG_CORE_STATUS) += core/status.o
core-$(CONFIG_CORE_EXTENDED) += core/extended.o
core-$(CONFIG_CORE_URI) += core/uri.o core/uri_print.o
