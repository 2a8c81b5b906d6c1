/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start of QEMU's `virt` machine in EL1.  Memory is mapped as it is, the first
 * GiB for devices, the second as RAM with caches: with the MMU off all memory
 * counts as device memory, where unaligned access faults.
 */
	.section .text.start, "ax"
	.globl	_start
_start:
	ldr	x0, =metal_stack_top
	mov	sp, x0
	ldr	x0, =vectors
	msr	vbar_el1, x0

	ldr	x0, =metal_bss
	ldr	x1, =metal_bss_end
1:	cmp	x0, x1
	b.hs	2f
	stp	xzr, xzr, [x0], #16
	b	1b

	/* Blocks of 1 GiB: not executable, attributes 0; shared, attributes 1 */
2:	ldr	x0, =metal_pages
	ldr	x1, =0x0060000000000401
	str	x1, [x0]
	ldr	x1, =0x0000000040000705
	str	x1, [x0, #8]
	/* 0: device memory without gathering and reordering; 1: write-back */
	mov	x1, #0xff00
	msr	mair_el1, x1
	/* 39 bits of address, pages of 4 KiB, tables in cached memory */
	ldr	x1, =0x803519
	msr	tcr_el1, x1
	msr	ttbr0_el1, x0
	dsb	sy
	tlbi	vmalle1
	dsb	sy
	isb
	/* The bits that are always 1; instruction cache, data cache, MMU */
	ldr	x1, =0x30d01805
	msr	sctlr_el1, x1
	isb

	bl	metal_start
	bl	main
3:	wfi
	b	3b

	/* 16 entries of 128 bytes: each kind of exception ends here. */
	.balign	2048
vectors:
	.rept	16
	.balign	128
	b	fault
	.endr
fault:
	ldr	x0, =metal_stack_top
	mov	sp, x0
	ldr	x0, =what
	mrs	x1, elr_el1
	mrs	x2, esr_el1
	b	metal_fault

	.section .rodata.what, "a"
what:	.asciz	"exception"

	.section .bss.pages, "aw", @nobits
	.balign	4096
metal_pages:
	.space	4096

	.section .note.GNU-stack, "", @progbits
