#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What read-ahead and the size of requests do at several delays of the server:
# a table.
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
VM_LIMIT=1200

find_kernel
make_guest "$work/tree" guest/bench-tune.sh fio
initramfs "$work/initramfs" nbd "$work/tree" >/dev/null
vm_memory=1024
vm_start "$work/initramfs" rdinit=/test -serial "file:$work/kernel.log"
while vm_wait '|*' 'end of tests' && [ "$line" != 'end of tests' ]; do
	printf '%s\n' "$line"
done
said '^end of tests$' || die 'the machine ended early'
