#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016 # the inner shells have variables of their own
# nbdboot copy --delta: what is read by a hash tree, and written.  With a second
# argument the disks have that size, such as 16G.
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
PATH=$PATH:/sbin:/usr/sbin
nbdboot=$O/nbdboot
out=$work/copy
bytes=$(numfmt --from=iec "${2:-256M}")
blocks=$((bytes / 4096))
part=$((blocks / 100)) # 1 %

# fresh: the destination has the old disk
fresh()
{
	cp --sparse=always "$work/old" "$out"
}

# put FILE BLOCK COUNT: noise there
put()
{
	dd if=/dev/urandom of="$1" bs=4096 seek="$2" count="$3" conv=notrunc \
		status=none
}

# format FILE TREE OPTION...: makes a tree, and sets root
format()
{
	root=$(veritysetup format "$@" | sed -n 's/^Root hash:[^0-9a-f]*//p')
	[ "$root" ] || die 'veritysetup failed'
}

# serve_both FILE TREE: with what is read counted; sets uri and tree
serve_both()
{
	serve 0 --filter=stats file "$1" statsfile="$work/stats1"
	uri=nbd://127.0.0.1:$port
	first=$server
	serve 0 --filter=stats file "$2" statsfile="$work/stats2"
	tree=nbd://127.0.0.1:$port
}

# Both servers end; sets sent, the bytes that they were asked for.
unserve_both()
{
	kill "$first" "$server"
	until ! runs "$first" && ! runs "$server"; do sleep 0.1; done
	sent=$(awk 'BEGIN { of["KiB,"] = 2^10; of["MiB,"] = 2^20; of["GiB,"] = 2^30 }
		$1 == "read:" { n += $6 * ($7 in of ? of[$7] : 1) }
		END { printf "%d\n", n }' "$work/stats1" "$work/stats2")
}

# writes COMMAND...: runs it, and sets wrote, the bytes that it has written
writes()
{
	run sh -c '"$@"; rc=$?; sed -n "s/^wchar: /wrote=/p" /proc/$$/io
		exit $rc' sh "$@"
	wrote=$(sed -n 's/^wrote=//p' "$work/out")
}

# a disk with some data, and two of which 1 % is another
truncate -s "$bytes" "$work/old"
for i in 0 1 2 3; do
	put "$work/old" $((i * blocks / 4 + blocks / 40)) $((blocks / 40))
done
cp --sparse=always "$work/old" "$work/clustered"
for i in 0 1 2 3; do
	put "$work/clustered" $((i * blocks / 4 + blocks / 25)) $((part / 4))
done
cp --sparse=always "$work/old" "$work/scattered"
awk -v n="$part" -v of="$blocks" 'BEGIN {
	srand(7); for (i = 0; i < n; i++) print int(rand() * of) }' |
	while read -r block; do
		put "$work/scattered" "$block" 1
	done

# ---- the bytes ----

for kind in clustered scattered; do
	disk=$work/$kind
	format "$disk" "$work/tree"
	serve_both "$disk" "$work/tree"
	fresh
	writes "$nbdboot" copy --delta="$tree" --root-hash "$root" "$uri" "$out"
	identical "$disk" "$out" "1 % is another, $kind"
	unserve_both
	echo "# of $bytes bytes $sent were read and $wrote written"
	check 'at most 3 % of it is read' [ "$sent" -le $((bytes * 3 / 100)) ]
	# with some messages
	check 'and no block is written that was equal' \
		[ "$wrote" -le $((part * 4096 + 65536)) ]
	serve_both "$disk" "$work/tree"
	run "$nbdboot" copy --delta="$tree" --root-hash "$root" --verify "$uri" \
		"$out"
	identical "$disk" "$out" 'nothing is another, --verify'
	unserve_both
	check 'and next to nothing is read' [ "$sent" -le $((bytes / 200)) ]
done

disk=$work/scattered
serve 0 file "$disk"
uri=nbd://127.0.0.1:$port
fresh
writes "$nbdboot" copy --delta "$uri" "$out"
expect 0 "without a hash tree saves writes: all of $uri is read" \
	'without a tree, a line says what that costs'
identical "$disk" "$out" 'and the copy is the same'
check 'no block is written that was equal, either' \
	[ "$wrote" -le $((part * 4096 + 65536)) ]
unserve

# zeroes over data, and data over zeroes, in one piece
head -c 256K /dev/urandom >"$work/piece"
cp "$work/piece" "$work/target"
dd if=/dev/zero of="$work/piece" bs=4096 seek=3 count=2 conv=notrunc status=none
put "$work/piece" 9 1
serve 0 --filter=stats file "$work/target" statsfile="$work/stats"
run "$nbdboot" copy --delta "$work/piece" "nbd://127.0.0.1:$port"
kill "$server"
until ! runs "$server" || grep -q '^total' "$work/stats"; do sleep 0.1; done
identical "$work/piece" "$work/target" 'two runs of blocks in one piece'
run awk '/^write:/ { print $2, $6, $7 }' "$work/stats"
expect 0 '2 12.00 KiB,' 'are two writes to a server'

# ---- destinations ----

format "$disk" "$work/tree"
rm "$out"
run "$nbdboot" copy --delta="$work/tree" --hash sha256 "$disk" "$out"
identical "$disk" "$out" 'into a new file, from files'
check 'with its hash' grep -q "^$(sha256sum <"$disk" | cut -c -64) " "$work/out"
for q in 1 3 32; do
	truncate -s 100000000 "$out"
	run "$nbdboot" copy -q "$q" --delta="$work/tree" "$disk" "$out"
	identical "$disk" "$out" "into a shorter one, with $q pieces in flight"
done
fresh
truncate -s +1M "$out"
run "$nbdboot" copy --delta="$work/tree" --hash sha256 "$disk" "$out"
identical "$disk" "$out" 'into a longer one'

# a copy that goes on
fresh
rm "$out"
: >"$work/err"
"$nbdboot" copy --rate 128K --delta="$work/tree" "$disk" "$out" 2>"$work/err" &
copy=$!
until ! runs "$copy" || cmp -s -n 1000000 "$disk" "$out.nbdboot-part"; do
	sleep 0.05
done
kill -INT "$copy"
wait "$copy" || :
check 'a copy is interrupted' [ -e "$out.nbdboot-part" ]
run "$nbdboot" copy --resume --delta="$work/tree" "$disk" "$out"
identical "$disk" "$out" 'and goes on'

# few_written: 5 blocks, a message, and copies of two partition tables
few_written()
{
	check "of which 5 blocks are written ($wrote)" [ "$wrote" -le 60000 ]
}

# partitions, with trees of their own
truncate -s 24M "$work/parted"
printf '%s\n' 'label: gpt' 'start=2048, size=16384' 'start=20480, size=16384' |
	sfdisk -q "$work/parted"
cp "$work/parted" "$work/want"
head -c 8M "$disk" >"$work/slice"
put "$work/slice" 77 5
format "$work/slice" "$work/tree8"
dd if="$work/slice" of="$work/parted" bs=1M seek=1 conv=notrunc status=none
dd if="$disk" of="$work/want" bs=1M seek=10 count=8 conv=notrunc status=none
cp "$work/want" "$out"
dd if="$work/slice" of="$work/want" bs=1M seek=10 conv=notrunc status=none
writes "$nbdboot" copy --part 1 --to-part 2 --delta="$work/tree8" \
	"$work/parted" "$out"
identical "$work/want" "$out" 'from a partition into another one'
few_written

# ---- trees ----

cp "$work/slice" "$work/both"
format --data-blocks 2048 --hash-offset 8388608 "$work/both" "$work/both"
truncate -s +256K "$work/both"
truncate -s $((8 << 20)) "$work/want"
head -c 8M "$disk" >"$out"
truncate -s "$(stat -c %s "$work/both")" "$out"
serve 0 file "$work/both"
run "$nbdboot" copy --delta="nbd://127.0.0.1:$port" --root-hash "$root" \
	"nbd://127.0.0.1:$port" "$out"
identical "$work/both" "$out" 'a tree behind the data, and 256 KiB behind it'
unserve

# as OPTION...: a tree that was made with them
as()
{
	format "$@" "$work/slice" "$work/tree8"
	head -c 8M "$disk" >"$out"
	writes "$nbdboot" copy --delta="$work/tree8" --root-hash "$root" \
		"$work/slice" "$out"
	identical "$work/slice" "$out" "a tree with $*"
	few_written
}
as --salt -
as --hash sha512
as --data-block-size 1024 --hash-block-size 4096
as --data-block-size 4096 --hash-block-size 1024 --salt "$(printf '%0128d' 7)"
as --hash sha512 --data-block-size 512 --hash-block-size 512
# blocks of the server that are longer than those of the tree
serve 0 --filter=blocksize-policy file "$work/slice" \
	blocksize-minimum=64K blocksize-preferred=64K \
	blocksize-maximum=1M blocksize-error-policy=error
head -c 8M "$disk" >"$out"
run "$nbdboot" copy --delta="$work/tree8" "nbd://127.0.0.1:$port" "$out"
expect 1 'its hash tree does not go with that' 'too small leaves for a server'
format "$work/slice" "$work/tree8"
run "$nbdboot" copy --delta="$work/tree8" "nbd://127.0.0.1:$port" "$out"
identical "$work/slice" "$out" 'a server with blocks of 64 KiB'
unserve
head -c 8M "$disk" >"$work/slice2"
cat "$work/slice" "$work/piece" >"$work/longer"
cat "$work/slice2" "$work/target" >"$out"
run "$nbdboot" copy --delta="$work/tree8" "$work/longer" "$out"
identical "$work/longer" "$out" 'a source that is longer than its tree'

# ---- what goes wrong ----

# is_kept: the destination is what it was
is_kept()
{
	cmp "$work/slice2" "$out"
}

cp "$work/slice2" "$out"
run "$nbdboot" copy --delta="$work/tree8" --root-hash "${root%????}0000" \
	"$work/slice" "$out"
expect 1 'is not what the root hash says' 'another root hash'
check 'changes nothing' is_kept
run "$nbdboot" copy --delta="$work/tree8" --root-hash 12 "$work/slice" "$out"
expect 2 '--root-hash: 12 is not 64 hexadecimal' 'no root hash'
cp "$work/tree8" "$work/bad"
# the first leaf is behind the superblock and the root block
dd if=/dev/urandom of="$work/bad" bs=1 count=8 seek=8200 conv=notrunc status=none
run "$nbdboot" copy --delta="$work/bad" "$work/slice" "$out"
expect 1 'block 0 of level 0 of the hash tree is not' 'a leaf that is wrong'
check 'changes nothing, either' is_kept
cp "$work/slice" "$work/stale"
put "$work/stale" 78 1
run "$nbdboot" copy --delta="$work/tree8" "$work/stale" "$out"
expect 1 'is not what its hash tree says at offset 319488' \
	'a source that is newer than its tree'
check 'of which nothing is written' is_kept
run "$nbdboot" copy --delta="$work/slice" "$work/slice" "$out"
expect 1 'no hash tree behind the data' 'a source without a tree'
run "$nbdboot" copy --delta="$work/piece" "$work/slice" "$out"
expect 1 'no superblock at byte 0' 'a file that is no tree'
run "$nbdboot" copy --delta="$work/tree8" "$work/piece" "$out"
expect 1 '2048 blocks of data, but the device has 64' 'a source that is shorter'
run "$nbdboot" copy --delta="$work/tree8" "$work/slice" -
expect 2 'reads what a disk or file of this machine has' 'not into a pipe'
serve 0 memory 8M
run "$nbdboot" copy --delta="$work/tree8" "$work/slice" "nbd://127.0.0.1:$port"
expect 2 'reads what a disk or file of this machine has' 'nor to a server'
unserve
run "$nbdboot" copy --delta="$work/tree8" --map "$work/map" "$work/slice" "$out"
expect 2 'excludes --map and --skip-bad' 'not with a map'
run "$nbdboot" copy --delta="$work/tree8" --skip-bad "$work/slice" "$out"
expect 2 'excludes --map and --skip-bad' 'nor with bad sectors'
run "$nbdboot" copy --root-hash "$root" "$work/slice" "$out"
expect 2 '--root-hash needs --delta=TREE' 'no root hash without a tree'

# a server of the tree that goes away: its second leaf takes long
fresh
serve 0 --filter=rate file "$work/tree" rate=256K
free=$port
format "$disk" "$work/tree"
: >"$work/err"
"$nbdboot" copy --delta="nbd://127.0.0.1:$free" --progress "$disk" "$out" \
	2>"$work/err" &
copy=$!
until ! runs "$copy" || [ -s "$out.nbdboot-part" ]; do sleep 0.05; done
unserve
until ! runs "$copy" || grep -q 'waiting for the server' "$work/err"; do
	sleep 0.05
done
serve "$free" file "$work/tree"
status=0
wait "$copy" || status=$?
identical "$disk" "$out" 'a server of the tree that is away for a while'
check 'is waited for' grep -q 'answers again' "$work/err"

finish
