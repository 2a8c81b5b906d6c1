#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The program for bare metal, on each board that it supports.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/metal.sh
. "$here/metal.sh"

# What the flash and the RAM of the smallest board may hold, in bytes.
flash_max=81920
ram_max=65536

sum_of()
{
	sha256sum "$1" | cut -d' ' -f1
}

# The last of an odd number of sectors is what the program writes.
reads_and_writes()
{
	dd if=/dev/urandom of="$work/disk" bs=512 count=1001 status=none
	cp "$work/disk" "$work/before"
	# less at once than some boards read
	serve 0 --filter=blocksize-policy file "$work/disk" blocksize-minimum=1 \
		blocksize-preferred=4096 blocksize-maximum=64K \
		blocksize-error-policy=error
	vm_start "$1" "nbd://$host:$port/"
	check "$1 passes its own checks" metal_end
	unserve
	check "$1 gets a lease" [ "$(metal_said address)" = 10.0.2.15 ]
	check "$1 reads the export" [ "$(metal_said 'sha256 of the export')" = \
		"$(sum_of "$work/before")" ]
	tail -c 512 "$work/disk" >"$work/block"
	check "$1 writes a block" [ "$(metal_said 'sha256 of the block')" = \
		"$(sum_of "$work/block")" ]
	tail -c 512 "$work/before" >"$work/old"
	check "$1 changes the block" [ "$(sum_of "$work/old")" != \
		"$(sum_of "$work/block")" ]
	truncate -s 512000 "$work/disk" "$work/before"
	check "$1 changes nothing else" cmp "$work/disk" "$work/before"
}

never_again()
{
	! said '^connected again$'
}

# The server is killed after a quarter.  It has no answer to a read of the second
# half, so that this is in the middle however late it is killed.
goes_on_after_an_outage()
{
	dd if=/dev/urandom of="$work/disk" bs=1M count=1 status=none
	sum=$(sum_of "$work/disk")
	serve 0 eval get_size="stat -c %s $work/disk" \
		pread="[ \$((\$3 + \$4)) -le 524288 ] || exec sleep infinity
		dd if=$work/disk skip=\$4 count=\$3 iflag=skip_bytes,count_bytes"
	vm_start "$1" "nbd://$host:$port/"
	check "$1 reads a quarter" vm_wait 'read 25 %'
	check "$1 loses no connection before" never_again
	unserve
	serve "$port" file "$work/disk"
	check "$1 goes on when its server is back" metal_end
	check "$1 has connected again" said '^connected again$'
	check "$1 has read every byte" \
		[ "$(metal_said 'sha256 of the export')" = "$sum" ]
	unserve
}

# fails BOARD URI TEXT: the board ends with a message that has the text
fails()
{
	vm_start "$1" "$2"
	metal_end || true
	check "$1: $3" said "^failed: .*$3"
}

explains()
{
	serve 0 --filter=exportname file "$work/disk" \
		exportname=good exportname-strict=true
	fails "$1" "nbd://$host:$port/wrong" 'the server has no export "wrong"'
	unserve
	serve 0 -r file "$work/disk"
	fails "$1" "nbd://$host:$port/" 'the export is read-only'
	unserve
	fails "$1" "nbds://$host/" 'this program has no TLS'
	fails "$1" nbd://host:0/ 'not an NBD URI: a port'
}

for board in $boards; do
	check "the program for $board builds" metal_build "$board"
	[ -x "$program" ] || break
	reads_and_writes "$board"
	goes_on_after_an_outage "$board"
	explains "$board"
done
# of the last one, the smallest
sh "$here/../parts.sh" "$program.map" >"$work/parts"
show "$work/parts"
# shellcheck disable=SC2046 # words on purpose
set -- $(tail -n 1 "$work/parts")
check "$board takes at most $flash_max bytes of flash: $2" \
	[ "$2" -le $flash_max ]
check "$board takes at most $ram_max bytes of RAM: $3" [ "$3" -le $ram_max ]
finish
