# SPDX-License-Identifier: BSD-2-Clause
# make ARCH=CPU: a static program for another CPU, with Debian's cross compiler
# and the musl of that CPU, which is unpacked in build/musl/CPU.
triplet-aarch64 := aarch64-linux-gnu
triplet-armv7 := arm-linux-gnueabihf
triplet-i386 := i686-linux-gnu
triplet-riscv64 := riscv64-linux-gnu
triplet-s390x := s390x-linux-gnu
musl-aarch64 := aarch64-linux-musl
musl-armv7 := arm-linux-musleabihf
musl-i386 := i386-linux-musl
musl-riscv64 := riscv64-linux-musl
musl-s390x := s390x-linux-musl

triplet := $(triplet-$(ARCH))
ifeq ($(triplet),)
$(error ARCH=$(ARCH): not aarch64, armv7, i386, riscv64 or s390x)
endif
musl-dir := build/musl/$(ARCH)
musl-ready := $(musl-dir)/ready
musl-lib := $(musl-dir)/usr/lib/$(musl-$(ARCH))

CC := $(triplet)-gcc
gcc-file = $(shell $(CC) -print-file-name=$(1))
# No header of the cross compiler's glibc.
no-glibc := -nostdinc -isystem $(musl-dir)/usr/include/$(musl-$(ARCH)) \
	-isystem $(call gcc-file,include)
link = $(CC) $(CFLAGS) $(ldflags) -nostdlib -nostartfiles -o $@ \
	$(musl-lib)/crt1.o $(musl-lib)/crti.o $(call gcc-file,crtbeginT.o) \
	$(filter %.o %.a,$^) $(LDLIBS) -L$(musl-lib) \
	-Wl,--start-group -lc -lgcc -Wl,--end-group \
	$(call gcc-file,crtend.o) $(musl-lib)/crtn.o
# ld of Debian 12 crashes at the relocations that the musl of Debian 13, which
# has riscv64, needs for its debugging sections.
$(musl-ready):
	$(Q)sh port/linux/foreign.sh $(ARCH) $(musl-dir) musl-dev
	$(Q)for f in $(musl-lib)/libc.a $(musl-lib)/crt1.o; do \
		$(triplet)-objcopy --strip-debug -R .eh_frame $$f || exit; done
	$(Q)touch $@
