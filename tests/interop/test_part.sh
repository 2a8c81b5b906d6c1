#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot copy --part and --to-part: partitions by the table of the disk.
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
PATH=$PATH:/sbin:/usr/sbin
nbdboot=$O/nbdboot
out=$work/copy

# part FILE FIRST-MIB MIB: these bytes, in $work/want
part()
{
	dd if="$1" of="$work/want" bs=1M skip="$2" count="$3" status=none
}

# same SENTENCE: after a successful run, the copy is $work/want
same()
{
	identical "$work/want" "$out" "$1"
}

# a disk of 24 MiB, with 1 MiB of noise around its partitions
disk=$work/disk
head -c 24M /dev/urandom >"$disk"
dd if=/dev/zero of="$disk" bs=1M count=1 conv=notrunc status=none
dd if=/dev/zero of="$disk" bs=1M seek=23 count=1 conv=notrunc status=none
uuid=0fc63daf-8483-4772-8e79-3d69d8477de4
printf '%s\n' 'label: gpt' 'start=2048, size=4096, name=first' \
	"start=8192, size=16384, uuid=$uuid, name=second" \
	'start=28672, size=8192, name=twice' 'start=36864, size=8192, name=twice' |
	sfdisk -q "$disk"
mke2fs -q -t ext4 -L Data -U 6cfcd8a3-5f02-4f4a-8a3e-4c2b35e3c0c1 \
	-E offset=4194304 "$disk" 8192k
cp "$disk" "$work/whole"

serve 0 file "$disk"
uri=nbd://127.0.0.1:$port
for from in "$uri" "$disk"; do
	part "$disk" 4 8
	for name in 2 "PARTUUID=$uuid" PARTLABEL=second LABEL=Data \
		UUID=6CFCD8A3-5f02-4f4a-8a3e-4c2b35e3c0c1; do
		rm -f "$out"
		run "$nbdboot" copy --part "$name" "$from" "$out"
		same "--part $name of ${from%%:*}"
	done
done
rm "$out"
for name in 5 PARTUUID=1a2b PARTLABEL=nobody LABEL=nobody; do
	run "$nbdboot" copy --part "$name" "$uri" "$out"
	expect 1 "$uri: 0 of its 4 partitions are $name" "there is no $name"
done
run "$nbdboot" copy --part PARTLABEL=twice "$uri" "$out"
expect 1 '2 of its 4 partitions are PARTLABEL=twice' 'a name that two have'
run "$nbdboot" copy --part first "$uri" "$out"
expect 2 '--part=first: neither a number' 'another form'
run "$nbdboot" copy --part 2 --length 4M "$uri" "$out"
expect 2 '--part excludes --offset' 'both'
run "$nbdboot" copy --part 2 - "$out"
expect 2 'no part of it can be read' 'a pipe'
run "$nbdboot" copy --to-part 2 "$uri" "$work/new"
expect 1 'has no partition table' 'a new file'
check 'none of them leaves a file' [ ! -e "$out" ] && [ ! -e "$work/new" ]

# ---- into a partition ----

# only FILE FIRST-MIB MIB CONTENT: of the disk nothing else has changed
only()
{
	cp "$work/whole" "$work/want"
	dd if="$4" of="$work/want" bs=1M seek="$2" conv=notrunc status=none
	cmp "$work/want" "$1"
}

head -c 3M /dev/urandom >"$work/small"
truncate -s 4M "$work/small"
for to in "$uri" "$disk"; do
	cp "$work/whole" "$disk"
	run "$nbdboot" copy --verify --hash sha256 --to-part PARTLABEL=second \
		"$work/small" "$to"
	expect 0 "$(sha256sum <"$work/small" | cut -d ' ' -f 1)" \
		"into a partition of ${to%%:*}"
	check 'and nothing else changes' only "$disk" 4 4 "$work/small"
done
cp "$work/whole" "$disk"
run "$nbdboot" copy --to-part 1 --part 2 "$disk" "$uri"
expect 1 "$uri is too small: it has 2097152 bytes, and 8388608" \
	'one that is too small'
check 'which is not written to' cmp "$work/whole" "$disk"
run "$nbdboot" copy --part 3 --to-part 4 "$disk" "$disk"
part "$work/whole" 14 4
cp "$work/want" "$work/third"
expect 0 '' 'from one partition of a disk to another'
check 'which has it' only "$disk" 18 4 "$work/third"
run "$nbdboot" copy --part 3 --to-part 3 "$disk" "$disk"
expect 2 'are the same' 'but not onto itself'
cp "$work/whole" "$disk"
: >"$work/err"
"$nbdboot" copy --rate 64K --map "$work/map" --to-part 3 "$work/small" "$disk" \
	2>"$work/err" &
copy=$!
until ! runs "$copy" || [ -s "$work/map" ]; do sleep 0.05; done
kill -INT "$copy"
wait "$copy" || :
run "$nbdboot" copy --resume --to-part 3 "$work/small" "$disk"
expect 2 '--resume with --to-part needs a map' '--resume without a map'
run "$nbdboot" copy --resume --map "$work/map" --to-part 3 "$work/small" "$disk"
expect 0 '' 'and with one it goes on'
check 'in that partition' only "$disk" 14 4 "$work/small"
unserve

# ---- tables ----

cp "$work/whole" "$disk"
serve 0 --filter=blocksize-policy file "$disk" blocksize-minimum=4096 \
	blocksize-preferred=4096 blocksize-maximum=1M \
	blocksize-error-policy=error
part "$disk" 4 8
run "$nbdboot" copy --part LABEL=Data "nbd://127.0.0.1:$port" "$out"
same 'a server with blocks of 4096 bytes'
unserve
# header, its sum, and an entry
for at in 568 528 1200; do
	cp "$work/whole" "$disk"
	printf 'x' | dd of="$disk" bs=1 seek=$at conv=notrunc status=none
	run "$nbdboot" copy --part 2 "$disk" "$out"
	expect 1 'the sums of its partition table (GPT) are wrong' \
		"a wrong byte at $at"
done
cp "$work/whole" "$disk"
printf 'x' | dd of="$disk" bs=1 seek=512 conv=notrunc status=none
run "$nbdboot" copy --part 1 "$disk" "$out"
expect 1 'partition table (GPT) is damaged' 'a table without its name'
head -c 8M "$work/whole" >"$disk"
part "$disk" 1 2
run "$nbdboot" copy --part 1 "$disk" "$out"
same 'a partition of a disk that is cut off'
run "$nbdboot" copy --part 2 "$disk" "$out"
expect 1 'partition 2 is not in its 8388608 bytes' 'but not one behind the cut'

# with logical partitions
cp "$work/whole" "$disk"
dd if=/dev/zero of="$disk" bs=1M count=1 conv=notrunc status=none
printf '%s\n' 'label: dos' 'label-id: 0x1a2b3c4d' 'start=2048, size=4096' \
	'start=6144, size=38912, type=5' 'start=8192, size=16384, type=83' \
	'start=28672, size=8192, type=83' | sfdisk -q "$disk"
part "$disk" 4 8
for name in 5 LABEL=Data PARTUUID=1a2b3c4d-05; do
	run "$nbdboot" copy --part "$name" "$disk" "$out"
	same "--part $name of an MBR"
done
part "$disk" 14 4
run "$nbdboot" copy --part 6 "$disk" "$out"
same 'the second logical partition'
part "$disk" 1 2
run "$nbdboot" copy --part PARTUUID=1a2b3c4d-01 "$disk" "$out"
same 'a primary one'
# the second link points at itself
link=$((512 * (28672 - 2048)))
dd if="$disk" of="$work/link" bs=512 skip=6144 count=1 status=none
dd if="$work/link" of="$disk" bs=512 seek=$((link / 512)) conv=notrunc status=none
run "$nbdboot" copy --part 200 "$disk" "$out"
expect 1 'its partition table has no end' 'a chain without an end'
finish
