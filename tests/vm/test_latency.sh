#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Slow servers and slow networks, as latency, top and the scripts of boot/trace
# show them, in one machine.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

find_kernel
make_guest "$tree" guest/latency.sh fio jq tc script bpftrace
mkdir -p "$tree/trace"
cp "$here"/../../boot/trace/nbd* "$tree/trace"
initramfs "$work/initramfs" 'nbd tcp_diag unix_diag sch_netem' "$tree" |
	sed 's/^/# /'
vm_memory=1536
guest_tests "$work/initramfs" ''
finish
