# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_CLI) += $(addprefix boot/common/,uris.o uri_tls.o \
	version.o)
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/common/, cmdline.o \
	cmdline_read.o console.o)
boot-$(CONFIG_BOOT_DIALECTS) += $(addprefix boot/common/, root.o root_forms.o \
	root_options.o root_text.o)
boot-$(CONFIG_BOOT_TIMES) += boot/common/times.o boot/common/times_parse.o
boot-$(CONFIG_BOOT_WATCH) += boot/common/harden.o \
	boot/common/$(if $(CONFIG_BOOT_SECCOMP),confine,noconfine).o
boot-$(if $(CONFIG_BOOT_WATCH)$(CONFIG_BOOT_SCRIPTS),y) += boot/common/ready.o
