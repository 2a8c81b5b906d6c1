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
	identical "$work/want" "$out" "$1"
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
expect 2 'no part of it can be read' 'a part of a pipe'
check 'and no file is made' [ ! -e "$out" ]
truncate -s 1M "$work/shrinks"
serve 0 eval get_size='echo 1048576' can_write='exit 0' can_flush='exit 0' \
	flush='exit 0' pwrite="truncate -s 600K $work/shrinks; cat >/dev/null"
head -c 1M /dev/urandom >"$work/shrinks"
run "$nbdboot" copy -q 1 --offset 512K "$work/shrinks" "nbd://127.0.0.1:$port"
expect 1 'it ends at offset 786432, before' 'a part that shrinks meanwhile'
unserve

# ---- a pace ----

# slowly RATE: copies 4 MiB, and sets ms and cpu, the ms that it took
slowly()
{
	run bash -c 'TIMEFORMAT="%R %U %S"; time "$@" 2>"$0"' "$work/err2" \
		"$nbdboot" copy --rate "$1" --length 4M "$work/random4" "$out"
	ms=$(awk '{ printf "%d", $1 * 1000 }' "$work/err")
	cpu=$(awk '{ printf "%d", ($2 + $3) * 1000 }' "$work/err")
}

head -c 4M /dev/urandom >"$work/random4"
for rate in 4 2; do
	slowly "${rate}M"
	cp "$work/random4" "$work/want"
	same "a copy at $rate MiB/s"
	check "takes 4/$rate s, but for what may start at once" \
		[ "$ms" -ge $((4000 / rate - 400)) ]
	check 'and waits without work' [ "$cpu" -lt $((ms / 2)) ]
done
run "$nbdboot" copy --rate 0 "$disk" "$out"
expect 2 '--rate: 0 is not a number of bytes' 'no rate'

# ---- only what differs ----

cp "$disk" "$work/target"
dd if="$work/random" of="$work/target" bs=64K seek=100 count=1 conv=notrunc \
	status=none
dd if="$work/random" of="$work/target" bs=64K seek=330 count=1 conv=notrunc \
	status=none
serve 0 --filter=stats file "$work/target" statsfile="$work/stats"
run "$nbdboot" copy --delta --verify "$disk" "nbd://127.0.0.1:$port"
cp "$disk" "$work/want"
cp "$work/target" "$out"
same 'a copy of what differs'
kill "$server"
until ! runs "$server" || grep -q '^total' "$work/stats"; do sleep 0.1; done
# one of the pieces is data, the other one a hole
run awk '/^(write|zero):/ { n += $2 } END { print n }' "$work/stats"
expect 0 2 'writes the pieces that differ'
rm "$out"
run "$nbdboot" copy --delta "$disk" "$out"
same 'into a new file, it copies all'
truncate -s 10000000 "$out"
run "$nbdboot" copy --delta --verify "$disk" "$out"
same 'and into a shorter one, the rest'
run "$nbdboot" copy --delta "$disk" -
expect 2 '--delta cannot compare a pipe' 'not into a pipe'
mkfifo "$work/pipe"
for option in delta verify; do
	run "$nbdboot" copy "--$option" "$disk" "$work/pipe"
	expect 2 "--$option cannot " "a pipe with a name is one for --$option"
done
run "$nbdboot" copy --delta="$disk" "$disk" "$work/pipe"
expect 2 "$work/pipe is none" 'and for --delta with a hash tree'
run "$nbdboot" copy --to-part 1 "$disk" "$work/pipe"
expect 2 "$work/pipe has no size, so that no part of it can be written" 'and for --to-part'

# ---- a disk with errors ----

map=$work/map
free=$(free_port)
uri=nbd://127.0.0.1:$free
# broken SECTOR...: serves $disk at $uri, which fails in these sectors.  Without -S
# it hangs up then.
broken()
{
	rules=
	for sector; do
		rules="$rules${rules:+, }{\"event\": \"none\",
			\"iotype\": \"read\", \"errno\": 5,
			\"once\": false, \"sector\": $sector}"
	done
	daemon_at "$free" qemu-nbd -p "$free" -b 127.0.0.1 -t -r -e 9 "json:{
		\"driver\": \"blkdebug\", \"align\": 512,
		\"image\": {\"driver\": \"file\", \"filename\": \"$disk\"},
		\"inject-error\": [$rules]}"
}

# areas STATES: the blocks of these states in the map
areas()
{
	ddrescuelog --list-blocks="$1" "$map" | tr '\n' ' '
}

# without FIRST LAST...: $work/want is the disk with zeroes in these sectors
without()
{
	cp "$disk" "$work/want"
	while [ $# -gt 0 ]; do
		dd if=/dev/zero of="$work/want" bs=512 seek="$1" \
			count=$(($2 - $1 + 1)) conv=notrunc status=none
		shift 2
	done
}

rm -f "$out"
broken 100 101 102 8000
run "$nbdboot" copy -S "$uri" "$out"
expect 1 'read at offset' 'an error ends a copy'
run timeout 900 "$nbdboot" copy "$uri" "$out"
expect 1 'the server closed the connection' 'also one at which qemu-nbd hangs up'
rm -f "$out.nbdboot-part"
run "$nbdboot" copy -S --skip-bad="$map" "$uri" "$out"
expect 3 "2048 bytes in 2 areas of $uri could not be read" \
	'--skip-bad reads on, and its exit status says so'
without 100 102 8000 8000
status=0
same 'it copies all but the sectors that fail, which are zeroes'
run areas -
expect 0 '100 101 102 8000 ' 'ddrescuelog finds them in the map'
run ddrescuelog --done-status "$map"
expect 1 '' 'and no end'
run "$nbdboot" copy --map "$map" "$uri" "$out"
expect 1 "$map exists (--resume goes on" 'a map is not overwritten'
# without --skip-bad, a piece that failed before is one that must be read
cp "$map" "$work/map.bad"
mv "$out" "$out.nbdboot-part"
run "$nbdboot" copy -S --resume --map "$map" "$uri" "$out"
expect 1 'read at offset 51200' 'without --skip-bad, what fails ends the copy'
check 'which gets no name of a complete one' [ ! -e "$out" ]
check 'nor a map that forgets' cmp "$map" "$work/map.bad"
unserve
broken 999999 # behind the end
mv "$out.nbdboot-part" "$work/half"
for state in '-' '/' '*'; do
	cp "$work/half" "$out.nbdboot-part"
	sed "/^0x/s|  -\$|  $state|" "$work/map.bad" >"$map"
	run "$nbdboot" copy -S --resume --map "$map" "$uri" "$out"
	cp "$disk" "$work/want"
	same "and is copied with the rest once it can be read, if it was $state"
	rm "$out"
done
cp "$work/map.bad" "$map"
mv "$work/half" "$out.nbdboot-part"
run "$nbdboot" copy -S --resume --skip-bad="$map" "$uri" "$out"
expect 0 '' 'a disk that recovers'
cp "$disk" "$work/want"
same 'is copied to the end'
run ddrescuelog --done-status "$map"
expect 0 '' 'and ddrescuelog agrees'
run "$nbdboot" copy --resume --map "$map" --verify "$uri" "$out"
same 'nothing is left to copy then'
unserve

# what was copied may be lost since then, but not all samples of it
broken 100
sed 's/^0x00000000  0x01800000  +/0 0xC00000 +\n0xC00000 0xC00000 ?/' "$map" \
	>"$work/map.half"
cp "$work/map.half" "$map"
run "$nbdboot" copy -S --resume --map "$map" "$uri" "$out"
expect 1 'read at offset 0' 'a sample that cannot be read any more is an error'
run "$nbdboot" copy -S --resume --skip-bad="$map" "$uri" "$out"
same 'but --skip-bad goes on behind it'
run ddrescuelog --done-status "$map"
expect 0 '' 'and what was copied is still copied'
printf '%s\n' '0 ?' '0 0x10000 +' '0x10000 0x17F0000 ?' >"$map"
run "$nbdboot" copy -S --resume --skip-bad="$map" "$uri" "$out"
expect 1 "$uri: no sample of what was copied can be read" \
	'unless no sample can be read'
unserve

# in an old file, what was there stays
yes old | head -c 24M >"$out"
rm "$map"
broken 100 101 102
run "$nbdboot" copy -S --skip-bad --retries 0 --verify "$uri" "$out"
expect 3 'in 1 areas' 'without a map'
dd if="$disk" of="$work/want" bs=24M status=none
yes old | head -c 1536 | dd of="$work/want" bs=512 seek=100 conv=notrunc \
	status=none
status=0
same 'what cannot be read stays as it was'
unserve

# some servers call a read invalid if the disk fails, or if it became shorter
invalid='[ $4 -lt 524288 ] && exec head -c $3 /dev/zero
	echo EINVAL >&2
	exit 1'
echo 1048576 >"$work/size"
serve 0 eval get_size="cat $work/size" pread="$invalid"
run "$nbdboot" copy --skip-bad "nbd://127.0.0.1:$port" "$work/end"
expect 3 '524288 bytes in 1 areas' 'a disk that fails at its end'
serve 0 eval get_size="cat $work/size" \
	pread="[ \$4 -lt 524288 ] || echo 524288 >$work/size; $invalid"
rm "$work/end"
run "$nbdboot" copy --skip-bad "nbd://127.0.0.1:$port" "$work/end"
expect 1 'the export has 524288 bytes' 'an export that becomes shorter is an error'
check 'and leaves no file that looks complete' [ ! -e "$work/end" ]
unserve

# every other request fails
serve 0 --filter=error file "$disk" error-pread=EIO error-pread-rate=50%
run "$nbdboot" copy --skip-bad="$map" --retries 100 "nbd://127.0.0.1:$port" \
	"$out"
cp "$disk" "$work/want"
same "nbdkit's error filter, with retries"
run ddrescuelog --done-status "$map"
expect 0 '' 'and the map is complete'
unserve

# ---- going on, onto an export ----

# begin OPTION... SOURCE DESTINATION: starts a copy in the background
begin()
{
	: >"$work/out"
	: >"$work/err"
	"$nbdboot" copy "$@" 2>>"$work/err" &
	copy=$!
}

# copied BYTES: returns when the map has that many, or the copy has ended
copied()
{
	until ! runs "$copy" || [ "$(ddrescuelog --list-blocks=+ "$map" \
		2>/dev/null | wc -l)" -ge "$(($1 / 512))" ]; do sleep 0.1; done
}

head -c 24M /dev/urandom >"$work/full"
truncate -s 24M "$work/target"
rm -f "$map"
serve 0 file "$work/full"
source=nbd://127.0.0.1:$port
serve 0 file "$work/target"
target=nbd://127.0.0.1:$port
# without patience nobody comes back, but the map still says which disk it is of
begin --patience 0 --rate 1M --map "$map" "$source" "$target"
copied 4194304
kill -KILL "$copy"
wait "$copy" 2>/dev/null || :
run ddrescuelog --list-blocks=+ "$map"
half=$(($(wc -l <"$work/out") * 512))
check 'a map counts what was copied' [ "$half" -ge 4194304 ]
check 'and not what was not' [ "$half" -lt 25165824 ]
check 'which is on the disk' cmp -n "$half" "$work/full" "$work/target"
cp "$map" "$work/map.half"
serve 0 file "$disk"
run "$nbdboot" copy --resume --map "$map" "nbd://127.0.0.1:$port" "$target"
expect 1 "$map is about another disk image than" 'another source is refused'
run "$nbdboot" copy --patience 0 --resume --map "$map" \
	"nbd://127.0.0.1:$port" "$target"
expect 1 "$map is about another disk image than" 'without patience, too'
run "$nbdboot" copy --resume --map "$map" "$disk" "$target"
expect 1 "what $map calls copied is not in $target" 'also a file'
serve 0 memory 23M
run "$nbdboot" copy --resume --map "$map" "nbd://127.0.0.1:$port" "$target"
expect 1 'about a source of another size' 'or another size'
# all of both is zero, so that samples tell nothing
truncate -s 24M "$work/zeroes"
printf '%s\n' '# nbdboot: source 25165824 0 -' '0 ?' '0 25165824 +' >"$work/map2"
truncate -s 12M "$work/zeroes2"
run "$nbdboot" copy --resume --map "$work/map2" "$work/zeroes" "$work/zeroes2"
expect 1 "$work/zeroes2 has 12582912 bytes, and $work/map2 is about 25165824" \
	'nor does a file go on that has another length'
check 'and it keeps that' [ "$(stat -c %s "$work/zeroes2")" = 12582912 ]
run "$nbdboot" copy --resume --map "$work/map2" --offset 12M "$work/zeroes" \
	"$work/zeroes2"
expect 1 'or another --offset' 'or another part of the source'
dd if=/dev/zero of="$work/target" bs=64K seek=8 count=48 conv=notrunc status=none
run "$nbdboot" copy --resume --map "$map" "$work/full" "$target"
expect 1 "what $map calls copied is not in" 'and another destination'
dd if="$work/full" of="$work/target" bs=64K skip=8 seek=8 count=48 \
	conv=notrunc status=none
check 'none of them changes the map' cmp "$map" "$work/map.half"
run "$nbdboot" copy --resume --map "$map" "$source" "$target"
cp "$work/full" "$work/want"
cp "$work/target" "$out"
same 'a copy to an export goes on'

# cached PORT [RATE]: what a server had not flushed is lost with it
cached()
{
	serve "$1" ${2+--filter=rate} --filter=cache file "$work/target" \
		${2+rate="$2"} cache=writeback
}
truncate -s 0 "$work/target"
truncate -s 24M "$work/target"
rm -f "$map"
cached 0 4M
begin --progress --map "$map" -c 1 -q 1 "$work/full" "nbd://127.0.0.1:$port"
# the first lines may say that nothing was answered yet
until grep -q ' [1-9][0-9]* of 25165824 bytes' "$work/err" || ! runs "$copy"; do
	sleep 0.05
done
unserve
cached "$port"
status=0
wait "$copy" || status=$?
expect 0 'answers again' 'a destination that was away'
unserve
check 'lacks nothing' cmp "$work/full" "$work/target"

# SIGINT, to a file
rm -f "$map" "$out"
begin --rate 256K --map "$map" "$source" "$out"
copied 512
kill -INT "$copy"
status=0
wait "$copy" || status=$?
expect 1 "is incomplete (--resume goes on with $map)" 'SIGINT says what to do'
check 'and leaves no file that looks complete' [ ! -e "$out" ]
run "$nbdboot" copy --resume --map "$map" "$source" "$out"
same 'and a copy to a file goes on with a map'

# a record is about one part of the source; others can have the same samples
yes old | head -c 24M >"$work/old"
rm -f "$out"
begin --rate 128K --length 12M "$work/old" "$out"
until cmp -s -n 4096 "$work/old" "$out.nbdboot-part" || ! runs "$copy"; do
	sleep 0.05
done
kill -INT "$copy"
wait "$copy" || :
run "$nbdboot" copy --resume --offset 12M "$work/old" "$out"
expect 1 'does not tell how far it is' 'no other part of the source goes on'
run "$nbdboot" copy --resume --length 12M "$work/old" "$out"
head -c 12M "$work/old" >"$work/want"
same 'but the same one does'

# what is copied behind the place where a copy ends does not count before it
printf '%s\n' '0 ?' '0 0xC00000 ?' '0xC00000 0xC00000 +' >"$map"
cp "$work/full" "$out"
dd if=/dev/zero of="$out" bs=1M count=12 conv=notrunc status=none
begin --rate 128K --resume --map "$map" "$work/full" "$out"
until cmp -s -n 4096 "$work/full" "$out" || ! runs "$copy"; do sleep 0.05; done
kill -INT "$copy"
status=0
wait "$copy" || status=$?
expect 1 'interrupted' 'SIGINT ends a copy that has its end already'
run ddrescuelog '--list-blocks=?' "$map"
check 'and the map knows what is missing' [ -s "$work/out" ]
run "$nbdboot" copy --resume --map "$map" "$work/full" "$out"
cp "$work/full" "$work/want"
same 'so that it is copied'

# the system reports an error of the disk to one flush, and forgets it
rm -f "$map" "$out"
# flushed OPTION...: a copy whose last flush fails
flushed()
{
	run env ASAN_OPTIONS=detect_leaks=0 strace -o "$work/trace" \
		-e trace=fsync -e inject=fsync:error=EIO:when=1 \
		"$nbdboot" copy "$@" "$work/full" "$out"
	expect 1 "flush $out: " 'a flush that fails'
}
flushed --map "$map"
check 'and the map counts nothing that was in it' [ ! -s "$map" ]
flushed
run "$nbdboot" copy --resume "$work/full" "$out"
expect 1 'does not tell how far it is' 'nor does a record'
rm "$out.nbdboot-part"

# a parent may ignore the ends of its children: that is inherited
rm -f "$out"
run env ASAN_OPTIONS=detect_leaks=0 strace -f -o "$work/trace" \
	-e trace=fdatasync -e inject=fdatasync:error=EIO:when=1 \
	env --ignore-signal=CHLD "$nbdboot" copy --rate 8M "$work/full" "$out"
expect 1 "flush $out: " 'a flush that fails in a child'
rm "$out.nbdboot-part"

# close() may fail, too, and that is not why
serve 0 memory 24M
run env ASAN_OPTIONS=detect_leaks=0 strace -o "$work/trace" -P "$map.new" \
	-e trace=fsync,close -e inject=fsync:error=ENOSPC \
	-e inject=close:error=EDQUOT \
	"$nbdboot" copy --map "$map" "$work/full" "nbd://127.0.0.1:$port"
expect 1 "write the map $map: No space left on device" \
	'a map that cannot be written'

# each read of this source gives something else
rm "$map"
serve 0 eval get_size='echo 1048576' pread='head -c $3 /dev/urandom'
run "$nbdboot" copy --map "$map" --verify "nbd://127.0.0.1:$port" "$out"
expect 1 'differ at offset' '--verify finds a difference'
run ddrescuelog --list-blocks=+ "$map"
check 'and then the map counts nothing as copied' [ ! -s "$work/out" ]

for bad in 'a b' '0 +
0 4' '0 +
0 0x1000 +
0x2000 0x1000 -'; do
	echo "$bad" >"$map"
	run "$nbdboot" copy --resume --map "$map" "$work/full" "$work/target"
	expect 1 "is not one of a map" 'a map that is none is refused'
	check 'which is no fault of a server' \
		[ "$(grep -c server "$work/err")" = 0 ]
done
rm "$map"
run "$nbdboot" copy --resume --map "$map" "$work/full" "$work/target"
expect 1 "open the map $map: No such file" 'one that is not there'
run "$nbdboot" copy --resume --skip-bad "$work/full" "$out"
expect 2 'needs a map' '--resume needs one if there may be errors'
run "$nbdboot" copy --map "$work/no/map" "$work/full" "$work/new"
expect 1 "make the map $work/no/map: No such file" 'one that cannot be made'
check 'is found out before the first byte' [ ! -e "$work/new" ]
mkfifo "$work/fifo"
run "$nbdboot" copy --map "$work/fifo" "$work/full" "$work/new"
expect 2 "$work/fifo is not a file" 'nor is one put in the place of a pipe'
run "$nbdboot" copy --map "$map" - "$out"
expect 2 'is a pipe' 'a pipe has no map'
for option in "--map $map" --skip-bad; do
	# shellcheck disable=SC2086 # words on purpose
	run "$nbdboot" copy $option "$disk" "$work/fifo"
	expect 2 "$work/fifo is a pipe" "nor one with a name: ${option%% *}"
done

finish
