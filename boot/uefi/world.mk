# SPDX-License-Identifier: BSD-2-Clause
# Firmware: clang for Windows, whose calling convention and files UEFI took
# over, and its linker.  ARCH=aarch64 is the other machine.  Nobody pings
# it: no ICMP.
ARCH ?= x86_64
program := nbdboot.efi
CC := clang
AR := llvm-ar
STATIC :=
HARDEN := -fno-stack-protector
OPT ?= -Oz -flto -fomit-frame-pointer
CFLAGS := $(OPT) -target $(ARCH)-unknown-windows -ffreestanding -fshort-wchar \
	-nostdlibinc -isystem port/uefi/libc -DLWIP_ICMP=0 \
	-Wno-microsoft-anon-tag -Wno-unused-command-line-argument \
	$(if $(filter x86_64,$(ARCH)),-mno-red-zone -mno-stack-arg-probe \
	-mgeneral-regs-only,-mno-stack-arg-probe)
hosted :=
# mbedTLS must not take this compiler for Microsoft's.  Nothing here divides
# numbers of 128 bits.
mbedtls-with := -U_WIN32 -U_MSC_VER -fgnuc-version=4.2.1 \
	-DMBEDTLS_NO_UDBL_DIVISION
mbedtls-without := -mgeneral-regs-only
efi-machine := $(if $(filter x86_64,$(ARCH)),x64,arm64)
# LLVM joins equal sequences of instructions (2 KB on AArch64), but not where
# Windows would have to unwind the stack.  Nothing unwinds here.
link = lld-link /nologo /subsystem:efi_application /entry:uefi_main \
	/nodefaultlib /opt:ref /opt:icf /machine:$(efi-machine) \
	/mllvm:-exception-model=dwarf /mllvm:-enable-machine-outliner=always \
	/filealign:32 /out:$@ $^
finish = cp $< $@
tests :=
