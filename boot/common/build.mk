# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_CLI) += $(addprefix boot/common/,uris.o uri_tls.o \
	version.o)
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/common/, cmdline.o \
	cmdline_read.o console.o word.o)
words-y += boot_kernel
boot-$(CONFIG_BOOT_DIALECTS) += $(addprefix boot/common/, root.o root_forms.o \
	root_options.o root_text.o)
words-$(CONFIG_BOOT_DIALECTS) += root_form
boot-$(CONFIG_BOOT_TIMES) += boot/common/times.o boot/common/times_parse.o
boot-$(CONFIG_BOOT_WATCH) += boot/common/harden.o \
	boot/common/$(if $(CONFIG_BOOT_SECCOMP),confine,noconfine).o
boot-$(if $(CONFIG_BOOT_WATCH)$(CONFIG_BOOT_SCRIPTS),y) += boot/common/ready.o

# The table of words has a part of each feature that is built.
$(O)/boot/common/word.o: cpp += -DBOOT_WORDS='$(foreach part, \
	$(words-y),W($(part)))'
$(O)/boot/common/word.o: $(wildcard boot/*/build.mk)
