#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reroots during which the new server fails: at each of STEPS of the
# conversation, from the greeting of the checks to the start of the new init, it
# dies, freezes, and so on (../interop/faults.c has the list).  With a healthy
# second server the machine moves.  Alone it moves, or it is in the old root and
# says why.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-3600}
# shellcheck source=tests/vm/reroot.sh
. "${0%/*}/reroot.sh"

find_kernel
make_small
image a "$small"
image b "$small"
rescue_initramfs ''
faults_begin
start a
start b
a="nbd://$host:$port_a/" b="nbd://$host:$port_b/" bad="nbd://$host:$faulty/"
vm_memory=256
seen=0
for fault in ${FAULTS:-die reset freeze drip noise flood error lose cut stall}; do
	start_machine "$work/initramfs" "rdinit=/rescue guest.root=$a \
nbdboot.io-timeout=3"
	check 'a machine is up' arrives a
	for step in ${STEPS:-0 1 2 4 5 6 8 10 14 20 26 32 40 48 56 64 80}; do
		moves "$fault" "$step" "$bad,$b"
		ends_as "$fault at step $step, and another server" moved
		[ "$happened" != fault ] || seen=$((seen + 1))
		# whose server never comes back: test_reroot.sh has that
		[ "$fault" != reset ] || continue
		moves "$fault" "$step" "$bad"
		ends_as "$fault at step $step" moved refused back
	done
	vm_stop
done
check "faults happened in $seen reroots" [ "$seen" -gt 0 ]
finish
