# SPDX-License-Identifier: BSD-2-Clause
# Pure: no Linux, no firmware.  Commands, init, nbdboot.efi and the tests compile
# the same.
boot-$(CONFIG_BOOT_CLI) += $(addprefix boot/words/, uris.o uri_tls.o version.o)
boot-$(CONFIG_BOOT_INIT) += $(addprefix boot/words/, boolean.o cmdline.o \
	credential.o ip.o word.o)
words-y += boot_kernel
boot-$(CONFIG_BOOT_DHCP) += $(addprefix boot/words/, dhcp_msg.o dhcp6_msg.o \
	domains.o plan.o)
boot-$(CONFIG_BOOT_LEASE6) += boot/words/lease6_msg.o
words-$(CONFIG_BOOT_DHCP) += boot_plan
boot-$(CONFIG_BOOT_DIALECTS) += $(addprefix boot/words/, root.o root_forms.o \
	root_options.o root_text.o)
words-$(CONFIG_BOOT_DIALECTS) += root_form

# The table of words has a part of each feature that is built.
$(O)/boot/words/word.o: cpp += -DBOOT_WORDS='$(foreach part, \
	$(words-y),W($(part)))'
$(O)/boot/words/word.o: $(wildcard boot/*/build.mk)
