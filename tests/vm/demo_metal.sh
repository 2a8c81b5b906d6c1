#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# NBD without an operating system: an AArch64 machine, or BOARD=lm3s6965, with
# our program alone in its memory reads and writes an export of nbdkit.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/metal.sh
. "$here/metal.sh"

board=${BOARD:-virt}
metal_build "$board" || {
	cat "$work/log"
	die 'FAILED: the program does not build'
}
dd if=/dev/urandom of="$work/disk" bs=1M count=4 status=none
sha256sum "$work/disk" | sed 's/ .*//; s/^/demo: sha256 of the file: /'
serve 0 file "$work/disk"

print()
{
	case $line in
	'Timer with period zero'*) ;; # QEMU, of the clock before it is set
	*) printf 'demo: %s\n' "$line" ;;
	esac
}
vm_line=print
vm_start "$board" "nbd://$host:$port/"
metal_end || die 'FAILED (see above)'
sh "$here/../parts.sh" "$program.map"
