#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# CUTS machines that lose their power at a random line of the console while their
# root moves to a disk: during the copy, around the mark, or after it.  TAP on
# standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/clone.sh
. "$here/clone.sh"

disks=0
for round in $(seq "${CUTS:-200}"); do
	set -- '*clone: copying*'
	for _ in $(seq $(($(od -An -N2 -tu2 /dev/urandom) % 24))); do
		set -- "$@" '*'
	done
	cut_power "$@"
	[ "$from" = nbd0 ] || disks=$((disks + 1))
	check "cut $round: it was up again, from ${from:-nothing}" [ "$from" ]
done
echo "# $disks from the disk"
finish
