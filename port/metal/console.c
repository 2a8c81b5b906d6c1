/* SPDX-License-Identifier: BSD-2-Clause */
/* The console: a PL011, which Stellaris microcontrollers have as well. */
#include "port/metal/metal.h"

#include <stdarg.h>

/* Registers, in words. */
enum {
	DR = 0x00 / 4,
	FR = 0x18 / 4,
	IBRD = 0x24 / 4,
	FBRD = 0x28 / 4,
	LCRH = 0x2c / 4,
	CR = 0x30 / 4,
};

#define FR_FULL	    0x20u  /* of the transmitter */
#define LCRH_8_FIFO 0x70u  /* 8 bits, no parity, FIFO */
#define CR_ENABLE   0x301u /* all, transmitter, receiver */

static volatile uint32_t *uart;

void metal_uart_start(volatile uint32_t *regs, uint32_t div)
{
	uart = regs;
	uart[CR] = 0;
	uart[IBRD] = div / 64;
	uart[FBRD] = div % 64;
	uart[LCRH] = LCRH_8_FIFO;
	uart[CR] = CR_ENABLE;
}

void metal_print(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		while (uart[FR] & FR_FULL)
			;
		uart[DR] = (unsigned char)p[i];
	}
}

void metal_say(const char *fmt, ...)
{
	char line[256] = "";
	struct nbd_out o = { .buf = line, .cap = sizeof(line) };
	va_list ap;

	va_start(ap, fmt);
	nbd_vputf(&o, fmt, ap);
	va_end(ap);
	metal_print(line, o.len);
	metal_print("\r\n", 2);
}

void metal_fault(const char *what, unsigned long at, unsigned long why)
{
	metal_say("fault: %s at 0x%lx, cause 0x%lx", what, at, why);
	for (;;)
		;
}

const char *metal_settings(void)
{
	extern const char metal_settings_at[METAL_SETTINGS_MAX];
	const char *p = metal_settings_at;

	if (*p == '\0' || *p == '\xff')
		return NULL;
	for (unsigned i = 0; i < METAL_SETTINGS_MAX; i++)
		if (p[i] == '\0')
			return p;
	return NULL;
}
