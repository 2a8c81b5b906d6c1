# SPDX-License-Identifier: BSD-2-Clause
# A program for a board without an operating system, as an ELF file that a flash
# programmer or QEMU takes.  The linker's map is beside it.
program := nbdboot-metal
board := $(patsubst "%",%,$(CONFIG_METAL_BOARD))

cc-virt := aarch64-linux-gnu-gcc
cpu-virt := -mgeneral-regs-only -mno-outline-atomics
cc-lm3s6965 := arm-none-eabi-gcc
cpu-lm3s6965 := -mcpu=cortex-m3 -mthumb

ifneq ($(filter default file,$(origin CC)),)
CC := $(cc-$(board))
endif
OPT := $(if $(filter virt,$(board)),-O2,-Os)
HARDEN :=
# No header of a C library but those of port/metal/libc.  lwIP's nd6.c calls
# htonl(), which a system would have.
CFLAGS := $(OPT) -g $(cpu-$(board)) -fomit-frame-pointer -ffreestanding \
	-nostdinc -isystem port/metal/libc \
	-isystem $(shell $(CC) -print-file-name=include) -Dhtonl=lwip_htonl
world-lib := $(O)/mbedtls-sha256.o $(O)/mbedtls-platform_util.o \
	$(if $(filter virt,$(board)),$(O)/port/metal/virt_start.o)
tests :=
link = $(CC) $(CFLAGS) -nostdlib -static -Wl,--build-id=none \
	-Wl,--gc-sections,--no-warn-rwx-segments,-Map=$(O)/$(program).map \
	-Wl,-z,max-page-size=4096 \
	-Wl,-T,port/metal/$(board).ld -o $@ -Wl,--start-group $(boot-obj) \
	$(port-obj) $(core-obj) $(world-lib) -Wl,--end-group -lgcc
finish = $(CC:%gcc=%strip) -s -R .comment -o $@ $<
