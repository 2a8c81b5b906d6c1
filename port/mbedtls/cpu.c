/* SPDX-License-Identifier: BSD-2-Clause */
/* Does this CPU have instructions for AES? */
#include "port/mbedtls/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

bool cpu_has_aes(void)
{
	unsigned a, b, c = 0, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_AES;
}
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

/* HWCAP_AES of the kernel's <asm/hwcap.h>, which musl does not have. */
#define HAS_AES (1ul << 3)

bool cpu_has_aes(void)
{
	return getauxval(AT_HWCAP) & HAS_AES;
}
#elif defined(__s390x__)
bool cpu_has_aes(void)
{
	return true; /* every 64-bit machine has CPACF */
}
#else
/* In firmware of AArch64 mbedTLS encrypts, without instructions (config.h). */
bool cpu_has_aes(void)
{
	return false;
}
#endif
