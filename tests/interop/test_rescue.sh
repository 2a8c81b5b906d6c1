#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016 # nbdkit's scripts have variables of their own
# nbdboot copy in a rescue: a part of a disk, at a pace, from a disk with errors,
# onto devices that a copy goes on with.
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot
out=$work/copy

# the first 3 MB and 3 MB in the middle are data, the rest is a hole, 24 MiB
disk=$work/disk
truncate -s 24M "$disk"
head -c 3000000 /dev/urandom >"$work/random"
dd if="$work/random" of="$disk" conv=notrunc status=none
dd if="$work/random" of="$disk" bs=4096 seek=3001 conv=notrunc status=none

# part OFFSET LENGTH: these bytes of the disk, in $work/want
part()
{
	tail -c "+$(($1 + 1))" "$disk" | head -c "$2" >"$work/want"
}

# same SENTENCE: after a successful run, the copy is $work/want
same()
{
	if [ "$status" = 0 ] && cmp "$work/want" "$out" >>"$work/err" 2>&1; then
		ok "$1"
	else
		not_ok "$1"
		show "$work/err"
	fi
}

# ---- a part ----

serve 0 --filter=blocksize-policy file "$disk" blocksize-minimum=512 \
	blocksize-preferred=4096 blocksize-maximum=1M \
	blocksize-error-policy=error
uri=nbd://127.0.0.1:$port
part 2097152 11534336
run "$nbdboot" copy --verify --offset 2M --length 11M "$uri" "$out"
same 'a part of an export, with a hole'
run "$nbdboot" copy --verify --offset 2M --length 11534336 "$disk" "$out"
same 'the same of a file'
part 12582912 12582912
run "$nbdboot" copy --offset 12M "$uri" "$out"
same 'the rest of an export'
run "$nbdboot" copy --offset 12M "$disk" "$out"
same 'the rest of a file'
rm -f "$work/sock"
serve_at -U "$work/sock" memory 12M
run "$nbdboot" copy --offset 12M "$disk" "nbd+unix:///?socket=$work/sock"
nbdcopy "nbd+unix:///?socket=$work/sock" "$out"
same 'the same, from pages that are not read'
part 0 1000000
run sh -c '"$@" >"$0"' "$out" "$nbdboot" copy --length 1000000 "$disk" -
same 'the start of a file, into a pipe'
rm -f "$out"
run "$nbdboot" copy --offset 2M --length 23M "$uri" "$out"
expect 2 'it has no 24117248 bytes at offset 2097152' 'a part behind the end'
run "$nbdboot" copy --offset 100 "$uri" "$out"
expect 2 'blocks of 512 bytes' 'a part of a block'
run "$nbdboot" copy --length 12Q "$uri" "$out"
expect 2 '--length: 12Q is not a number of bytes' 'an unknown unit'
run "$nbdboot" copy --offset 1M - "$out"
expect 2 'cannot be read from the middle' 'a part of a pipe'
check 'and no file is made' [ ! -e "$out" ]
truncate -s 1M "$work/shrinks"
serve 0 eval get_size='echo 1048576' can_write='exit 0' can_flush='exit 0' \
	flush='exit 0' pwrite="truncate -s 600K $work/shrinks; cat >/dev/null"
head -c 1M /dev/urandom >"$work/shrinks"
run "$nbdboot" copy -q 1 --offset 512K "$work/shrinks" "nbd://127.0.0.1:$port"
expect 1 'it ends at offset 786432, before' 'a part that shrinks meanwhile'
unserve

finish
