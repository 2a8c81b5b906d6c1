#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines whose root moves to a disk while they run.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# shellcheck source=tests/vm/clone.sh
. "$here/clone.sh"

# whole SENTENCE FILE: the file system there is clean, and has what was written
whole()
{
	if e2fsck -fn "$2" >"$work/fsck" 2>&1 && blob_is_whole "$2"; then
		ok "$1"
	else
		not_ok "$1"
		show "$work/fsck"
	fi
}

# is_blank FILE: it has zeroes alone
is_blank()
{
	cmp -s -n "$(stat -c %s "$1")" "$1" /dev/zero
}

cp "$work/root" "$image"
truncate -s 40M "$disk"
serve 0 file "$image"
# in 16 s
boot nbdboot.clone=/dev/ubda,rate=2 guest.clone
ended 'a root moves to a disk while it is written to' \
	'guest: at first the root is on /dev/dm-0 made of nbd0$' \
	'log: clone: copying 32 MiB to /dev/ubda' \
	'guest: wrote [1-9][0-9]* times while it was copied' \
	'guest: at last the root is on /dev/dm-0 made of ubda$' \
	'guest: the root of nbd0 is on ubda$' '!WRONG' \
	'guest: no connection is left' 'all is unmounted and disconnected'
whole 'and the file system of the disk is whole' "$disk"
served=$(sha256sum <"$image")

boot nbdboot.clone=/dev/ubda
ended 'the next boot is from the disk if the server has its image' \
	'the server has the image of which ubda is a clone' \
	'guest: at first the root is on /dev/dm-0 made of ubda$' \
	'guest: no server$' 'guest: what was written is there$' '!WRONG' \
	'all is unmounted and disconnected'
unserve
boot nbdboot.clone=/dev/ubda nbdboot.local-after=1
ended 'and if there is no server' \
	'no server answered within 1 s: the root is the clone on ubda$' \
	'guest: at first the root is on /dev/dm-0 made of ubda$' \
	'guest: what was written is there$' '!WRONG'
whole 'the file system of the disk stays whole' "$disk"
check 'the server has what it had when the root moved' \
	[ "$served" = "$(sha256sum <"$image")" ]

# ---- what is refused, and what fails ----

cp "$work/root" "$image"
tune2fs -U random "$image" >/dev/null
truncate -s 20M "$work/small"
ext4_of "$tree" "$work/other"
truncate -s 40M "$work/other"
serve 0 file "$image"
boot nbdboot.clone=/dev/ubda guest.hand "ubd1=$work/small ubd2=$work/other"
ended 'a disk with a clone of another image is no root' \
	'/dev/ubda holds a clone of another image' \
	'guest: at first the root is on /dev/dm-0 made of nbd0$'
shows 'what is in use, too small, or not empty is refused' \
	'refused: nbd0: /dev/ubda holds a clone, of w-.*"again" replaces it' \
	'refused: nbd0: /dev/ubdb is too small: it has 20971520 bytes' \
	'refused: nbd0: /dev/ubdc is not empty: it holds ext4; "erase"' \
	'refused: nbd0: there is no /dev/ubdd (yet)' \
	'refused: nbd0: /dev/ubdc is in use' \
	'refused: nbd0: /dev/nbd0 is in use' \
	'refused: nbd0: /dev/null: not a block device'
check 'before anything is written' is_blank "$work/small"
shows 'a disk that fails ends the copy, not the machine' \
	'failing: nbd0: /dev/loop0 failed' '!WRONG' \
	'guest: after that the root is on /dev/dm-0 made of nbd0$'
shows 'a file system made there after a copy that was stopped is kept' \
	'guest: kept: nbd0: /dev/ubdc is not empty'
shows 'nbdboot list shows how far a copy is' \
	'guest: list: [0-9]*% of 33554432 (32.0M) are on ubdc$' \
	'guest: json: "clone": {"disk": "ubdc", "size": 33554432, "percent": [0-9]*}$' \
	'guest: metrics: nbdboot_clone_size_bytes{device="nbd0",disk="ubdc"} 33554432$' \
	'guest: metrics: nbdboot_clone_copied_bytes{device="nbd0",disk="ubdc"} [0-9]*$'
shows 'a copy that was stopped begins again' \
	'guest: erasing /dev/ubdc, which holds ext4' \
	'guest: stopped the root is on /dev/dm-0 made of nbd0$' \
	'guest: by hand the root is on /dev/dm-0 made of ubdc$'
whole 'and is whole' "$work/other"
unserve

# ---- power cuts ----

# before the mark: make soak-clone
cut_power '*clone: /dev/ubda is the root*'
check 'a machine that loses its power behind the copy boots from the disk' \
	[ "$from" = ubda ]

finish
