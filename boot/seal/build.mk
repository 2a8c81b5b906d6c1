# SPDX-License-Identifier: BSD-2-Clause
boot-$(CONFIG_BOOT_SEAL) += boot/seal/sealed.o boot/seal/seal.o
