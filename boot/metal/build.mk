# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_WORLD_METAL) += boot/metal/main.o
ifeq ($(CONFIG_WORLD_METAL),y)
# mbedTLS's SHA-256, compiled without its warnings.
$(O)/mbedtls-%.o: boot/metal/sha256.h $(O)/autoconf.h | $(mbedtls-src)/include/mbedtls/build_info.h
	$(call say,CC,$@)
	$(Q)$(CC) $(base) -w -I. -isystem $(mbedtls-src)/include \
		-DMBEDTLS_CONFIG_FILE='"$<"' $(CFLAGS) -c -o $@ \
		$(mbedtls-src)/library/$*.c
$(O)/boot/metal/main.o: cpp += -isystem $(mbedtls-src)/include \
	-DMBEDTLS_CONFIG_FILE='"boot/metal/sha256.h"'
$(O)/boot/metal/main.o: | $(mbedtls-src)/include/mbedtls/build_info.h
$(O)/$(program).debug: port/metal/$(board).ld
endif
