/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static probes (USDT) for bpftrace, perf and SystemTap.  A probe is a nop and
 * a note in the file that says where its arguments are:
 *
 *	bpftrace -l 'usdt:/usr/sbin/nbdboot:*'
 *
 * Without CONFIG_PORT_PROBES they are nothing, and arguments are not evaluated.
 * Each one stands on a line of its own.
 */
#ifndef NBD_PROBE_H
#define NBD_PROBE_H

#ifdef CONFIG_PORT_PROBES
/* registers and constants: bpftrace cannot read an operand like w(%rip) */
#define STAP_SDT_ARG_CONSTRAINT nr
#include <sys/sdt.h>

#define NBD_PROBE1(name, a)	  DTRACE_PROBE1(nbdboot, name, a)
#define NBD_PROBE2(name, a, b)	  DTRACE_PROBE2(nbdboot, name, a, b)
#define NBD_PROBE3(name, a, b, c) DTRACE_PROBE3(nbdboot, name, a, b, c)
#else
#define NBD_PROBE1(name, a)	  ((void)0)
#define NBD_PROBE2(name, a, b)	  ((void)0)
#define NBD_PROBE3(name, a, b, c) ((void)0)
#endif

#endif
