#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ROUNDS machines, whose servers flip a bit in each of 1,000 blocks.  TAP on standard output.
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
for round in $(seq "${ROUNDS:-3}"); do
	cp "$image" "$work/wrong"
	spoil "$work/wrong" 1000
	serve 0 file "$work/wrong"
	boot ro "roothash=$roothash" guest.whole
	ended "round $round: each read of 1,000 wrong blocks fails, all else is right" \
		"^guest: all of it is $readable$" '!WRONG'
	unserve
done
finish
