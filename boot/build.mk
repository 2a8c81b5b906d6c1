# SPDX-License-Identifier: BSD-2-Clause
include $(addsuffix /build.mk,$(addprefix boot/,cache cli clone copy debian device images init \
	initramfs keep lwip mapper metal net prefetch reroot root seal system uefi verity watch words))
