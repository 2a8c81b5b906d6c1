/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The LM3S6965 evaluation board: a Cortex-M3 with 256 KiB of flash and 64 KiB
 * of RAM, a crystal of 8 MHz, and its MAC address in two user registers
 * (LM3S6965 data sheet, chapters 5 and 7).
 */
#include "port/metal/metal.h"
#include "port/metal/stellaris_ether.h"

/* System control, in words from SYSCTL. */
#define SYSCTL ((volatile uint32_t *)0x400fe000u)
enum {
	RIS = 0x050 / 4,
	RCC = 0x060 / 4,
	RCGC1 = 0x104 / 4,
	RCGC2 = 0x108 / 4,
	USER0 = 0x1e0 / 4,
	USER1 = 0x1e4 / 4,
};
#define PLL_LOCKED  0x40u
/* RCC: divide by 4; the PLL on, of a crystal of 8 MHz, used or not. */
#define RCC_50_MHZ  (3u << 23 | 1u << 22 | 14u << 6)
#define RCC_BYPASS  (1u << 11)
#define RCGC1_UART0 0x1u
#define RCGC2_GPIOA 0x1u
#define RCGC2_ETHER 0x50000000u

/* The pins of the console, in words from GPIOA. */
#define GPIOA ((volatile uint32_t *)0x40004000u)
enum { AFSEL = 0x420 / 4, DEN = 0x51c / 4 };
#define UART_PINS 0x3u

#define UART	((volatile uint32_t *)0x4000c000u)
#define ETHER	((volatile uint32_t *)0x40048000u)
#define SYSTICK ((volatile uint32_t *)0xe000e010u)

#define HZ	 50000000u
#define TICK_MS	 10u
#define TICK	 (HZ / 1000 * TICK_MS) /* cycles */
#define CYCLE_NS (1000000000 / HZ)
#define BAUD	 115200u
#define TICK_ON	 0x7u /* counts, interrupts, counts cycles of the CPU */

static volatile uint64_t ticks;

static void tick(void)
{
	ticks++;
}

/*
 * A tick begins where the counter reaches 0, one cycle before it reloads.  The
 * interrupt may come later (QEMU's does, when its host is busy): the time
 * stands until then, as it must not go back.
 */
uint64_t nbd_now_ns(void)
{
	static uint64_t latest;
	uint64_t before, after, now;
	uint32_t left;

	do {
		before = ticks;
		left = SYSTICK[2];
		after = ticks;
	} while (before != after);
	now = after * TICK_MS * 1000000 +
	      (uint64_t)(left ? TICK - left : 0) * CYCLE_NS;
	if (now > latest)
		latest = now;
	return latest;
}

void metal_start(void)
{
	SYSCTL[RCC] = RCC_50_MHZ | RCC_BYPASS;
	while (!(SYSCTL[RIS] & PLL_LOCKED))
		;
	SYSCTL[RCC] = RCC_50_MHZ;
	SYSCTL[RCGC1] |= RCGC1_UART0;
	SYSCTL[RCGC2] |= RCGC2_GPIOA | RCGC2_ETHER;
	/* a module may be used 3 cycles after its clock starts */
	(void)SYSCTL[RCGC2];
	GPIOA[AFSEL] |= UART_PINS;
	GPIOA[DEN] |= UART_PINS;
	metal_uart_start(UART, HZ * 4 / BAUD);
	SYSTICK[1] = TICK - 1;
	SYSTICK[2] = 0;
	SYSTICK[0] = TICK_ON;
}

int metal_ether(struct nbd_ether **e, struct nbd_diag *d)
{
	static struct stellaris_ether net;
	uint32_t a = SYSCTL[USER0], b = SYSCTL[USER1];
	const unsigned char mac[6] = {
		(unsigned char)a,	  (unsigned char)(a >> 8),
		(unsigned char)(a >> 16), (unsigned char)b,
		(unsigned char)(b >> 8),  (unsigned char)(b >> 16),
	};

	if (mac[0] & 1)
		return nbd_diag(d, NBD_E_NO_DEVICE,
				"no MAC address in the user registers");
	stellaris_ether_open(&net, ETHER, mac);
	*e = &net.ether;
	return 0;
}

/* ---- start, and the table of exceptions that the CPU begins with ---- */

extern uint32_t metal_stack[], metal_stack_top[];
extern uint32_t metal_data[], metal_data_end[], metal_data_rom[];
extern uint32_t metal_bss[], metal_bss_end[];

static void reset(void)
{
	const uint32_t *from = metal_data_rom;

	for (uint32_t *to = metal_data; to < metal_data_end; to++)
		*to = *from++;
	for (uint32_t *to = metal_bss; to < metal_bss_end; to++)
		*to = 0;
	metal_start();
	main();
	for (;;)
		__asm__ volatile("wfi");
}

/* The CPU has put r0-r3, r12, lr, pc, and xpsr there, if there was room. */
static __attribute__((used)) void report(const uint32_t *frame)
{
	uint32_t cause = *(volatile uint32_t *)0xe000ed28u;

	if (frame < metal_stack)
		metal_fault("stack overflow", 0, cause);
	metal_fault("exception", frame[6], cause);
}

/* The stack may be at its end, below which there is no memory. */
static __attribute__((naked)) void fault(void)
{
	__asm__ volatile("mrs r0, msp\n"
			 "ldr r1, =metal_stack_top\n"
			 "mov sp, r1\n"
			 "b %c0\n"
			 :
			 : "i"(report));
}

struct exceptions {
	uint32_t *stack;
	void (*handler[15])(void);
};

/* The linker script names it as the entry. */
extern const struct exceptions metal_vectors;
__attribute__((section(".vectors"))) const struct exceptions metal_vectors = {
	metal_stack_top,
	{ reset, fault, fault, fault, fault, fault, fault, fault, fault, fault,
	  fault, fault, fault, fault, tick }
};
