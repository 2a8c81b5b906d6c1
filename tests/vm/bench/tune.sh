#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What read-ahead, the depth of the queue, the scheduler, the size of requests,
# the buffers of TCP, and the kernel's throttle of writes bring at several round
# trips (DELAYS, ms): a table.  WORKS are some of queue, windows and beside.
# The server is in the machine, in a network of its own with that delay.
#
# Its only CPU takes a nanosecond for each instruction, and no time to be idle:
# the figures do not depend on the load of the host.
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
VM_LIMIT=3600
delays=${DELAYS:-0 1 10 50}

find_kernel
make_guest "$work/tree" guest/bench-tune.sh fio tc ip
initramfs "$work/initramfs" 'nbd veth sch_netem' "$work/tree" >/dev/null
vm_memory=1024 vm_cpus=1 ACCEL=tcg,thread=single
vm_start "$work/initramfs" \
	"rdinit=/test \
test.delays=$(echo "$delays" | tr ' ' ,) \
test.works=$(echo "${WORKS:-queue windows beside}" | tr ' ' ,)" \
	-icount shift=0,sleep=off -serial "file:$work/kernel.log"
vm_ended

sed -n 's/^figure //p' "$work/log" | awk -F': ' '
{
	split($2, value, " ")
	if (!($1 in seen)) {
		name[++rows] = $1
		seen[$1]
	}
	if (!(value[1] in known)) {
		delay[++columns] = value[1]
		known[value[1]]
	}
	at[$1, value[1]] = value[2]
}
END {
	head = "| round trip, ms"
	rule = "|---"
	for (c = 1; c <= columns; c++) {
		head = head " | " delay[c]
		rule = rule "|---"
	}
	print head " |\n" rule "|"
	for (r = 1; r <= rows; r++) {
		line = "| " name[r]
		for (c = 1; c <= columns; c++)
			line = line " | " at[name[r], delay[c]]
		print line " |"
	}
	exit !rows
}' || die 'nothing was measured'
