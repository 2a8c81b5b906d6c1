#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a server may change: a bit of the superblock, of a salt, of the tree, and in
# ROUNDS machines one bit in each of 1,000 blocks.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/verity.sh
. "$here/verity.sh"

find_kernel
blob_size=64M
make_tree
initramfs "$work/initramfs" "$verity_modules" | sed 's/^/# /'
with_tree "$image"
good=$roothash

# refused_with NAME BYTE REASON: of the superblock one bit is flipped
refused_with()
{
	cp "$image" "$work/wrong"
	flip "$work/wrong" $((size + $2)) 0
	serve 0 file "$work/wrong"
	refused "$1 that was changed is refused" "$3" nbdboot.overlay \
		"roothash=$good"
	unserve
}

refused_with 'a salt' 90 'is wrong for roothash='
refused_with 'a superblock' 65 'its blocks are not of 512 to 4096 bytes'
refused_with 'the root of a tree' 4100 'is wrong for roothash='

for round in $(seq "${ROUNDS:-3}"); do
	cp "$image" "$work/wrong"
	spoil "$work/wrong" 1000
	serve 0 file "$work/wrong"
	boot ro "roothash=$good" guest.whole
	ended "round $round: each read of 1,000 wrong blocks fails, all else is right" \
		"^guest: all of it is $readable$" '!WRONG'
	unserve
done

serve 0 file "$work/wrong"
boot ro "roothash=$good" nbdboot.verity=panic guest.bad
shows 'a wrong block ends the machine, if that is wanted' \
	'^guest: reads$' 'Kernel panic.*verity' '!^guest: end'
boot ro "roothash=$good" nbdboot.verity=restart guest.bad
shows 'or starts it again' '^guest: reads$' '!Kernel panic' '!^guest: end'
unserve
finish
