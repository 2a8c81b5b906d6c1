/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a machine without an operating system offers to the program on it.  The
 * build chooses one board; its clock is nbd_now_ns().
 */
#ifndef PORT_METAL_H
#define PORT_METAL_H

#include "port/ether.h"
#include "port/port.h"

/*
 * The program.  The start code of the CPU calls it once, with memory and
 * console set up; afterwards the CPU sleeps for good.
 */
int main(void);

/* Sets up clocks and console.  The start code calls it before main(). */
void metal_start(void);

/*
 * The board's Ethernet interface, in static memory, ready to send and receive.
 * Call it once.  NBD_E_NO_DEVICE, or NBD_E_IO: d says why.
 */
int metal_ether(struct nbd_ether **e, struct nbd_diag *d);

/*
 * The settings of this machine: a NUL-terminated text of less than
 * METAL_SETTINGS_MAX bytes at a fixed address (metal_settings_at of the linker
 * script), where a flash programmer or QEMU's loader device put it.  NULL if
 * that memory is erased (all bits 0 or 1), or the text does not end.
 */
#define METAL_SETTINGS_MAX 1024
const char *metal_settings(void);

/* Returns when all bytes are in the transmitter of the console. */
void metal_print(const char *p, size_t len);

/* Prints a line; all but the first 256 bytes are cut.  %s: see nbd_putf(). */
void metal_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Reports a fault of the CPU at that address, and stops. */
void metal_fault(const char *what, unsigned long at, unsigned long why)
	__attribute__((noreturn));

/* The console is a PL011.  div: 64 times its clock / (16 * baud rate). */
void metal_uart_start(volatile uint32_t *regs, uint32_t div);

#endif
