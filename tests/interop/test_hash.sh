#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016 # nbdkit's scripts have variables of their own
# nbdboot copy --hash: the hash is that of what the destination has, whatever
# the order in which it was written.
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot
out=$work/copy

# data, a hole in its middle and one at its end, 12 MiB and a bit
disk=$work/disk
truncate -s 12582999 "$disk"
head -c 3000000 /dev/urandom >"$work/random"
dd if="$work/random" of="$disk" conv=notrunc status=none
dd if="$work/random" of="$disk" bs=4096 seek=2001 count=400 conv=notrunc \
	status=none
sum=$(sha256sum <"$disk")
sum=${sum%% *}

# hashed NAME SENTENCE: the copy has printed the hash of the disk, and it is one
hashed()
{
	if [ "$status" = 0 ] && grep -qxF "$sum  $1" "$work/out" &&
		{ [ ! -e "$out" ] || cmp "$disk" "$out"; } >>"$work/err" 2>&1; then
		ok "$2"
	else
		not_ok "$2 ($status)"
		show "$work/out"
		show "$work/err"
	fi
}

run "$nbdboot" copy --hash sha256 "$disk" "$out"
hashed "$out" 'a file'
cp "$work/out" "$work/line"
run sha256sum -c "$work/line"
expect 0 'OK' 'sha256sum takes the line'
run "$nbdboot" copy --hash sha256 --delta "$disk" "$out"
hashed "$out" 'a copy that writes nothing'
yes old | head -c 12582999 >"$out"
run "$nbdboot" copy --hash sha256 --verify -q 32 "$disk" "$out"
hashed "$out" 'over an old file, with 32 pieces in flight'
rm "$out"
run "$nbdboot" copy --hash sha256 --destination-is-zero "$disk" "$out"
hashed "$out" 'where holes are not written'

# the first piece comes last
serve 0 eval get_size='echo 12582999' pread="[ \$4 != 0 ] || sleep 0.5
	tail -c +\$((\$4 + 1)) $disk | head -c \$3"
uri=nbd://127.0.0.1:$port
run "$nbdboot" copy --hash sha256 -q 32 "$uri" "$out"
hashed "$out" 'pieces that come in another order'
rm "$out"
run sh -c '"$@" >"$0" 2>"$0.err"' "$work/piped" "$nbdboot" copy --hash sha256 \
	"$uri" -
cat "$work/piped.err" >"$work/out"
hashed - 'into a pipe it is on standard error'
check 'and not in the data' cmp "$disk" "$work/piped"
run sh -c '{ "$@" 2>"$0.err"; } >"$0"' "$work/piped" "$nbdboot" copy \
	--hash sha256 "$uri" /dev/stdout
cat "$work/piped.err" >"$work/out"
hashed /dev/stdout 'nor where it is by a name of standard output'
check 'which is a file' cmp "$disk" "$work/piped"
run sh -c '{ "$@" 2>"$0.err"; } | cat >"$0"' "$work/piped" "$nbdboot" copy \
	--hash sha256 "$uri" /dev/fd/1
cat "$work/piped.err" >"$work/out"
hashed /dev/fd/1 'or by another name'
check 'which is a pipe' cmp "$disk" "$work/piped"
unserve
run sh -c 'cat "$0" | "$@"' "$disk" "$nbdboot" copy --hash sha256 - "$out"
hashed "$out" 'out of a pipe'
rm "$out"

# a destination that is longer
truncate -s 24M "$work/target"
serve 0 file "$work/target"
target=nbd://127.0.0.1:$port
rm -f "$work/sock"
serve_at -U "$work/sock" --filter=stats file "$work/target" \
	statsfile="$work/stats"
run "$nbdboot" copy --hash sha256 "$disk" "nbd+unix:///?socket=$work/sock"
hashed "nbd+unix:///?socket=$work/sock" 'to a server, a longer disk'
kill "$server"
until ! runs "$server" || grep -q '^total' "$work/stats"; do sleep 0.1; done
check 'of which nothing is read' eval '! grep -q "^read" "$work/stats"'
run "$nbdboot" copy --hash sha256 --map "$work/map" "$disk" "$target"
hashed "$target" 'with a map, by what the server has'
run "$nbdboot" copy --hash sha256 --map "$work/map" --resume "$disk" "$target"
hashed "$target" 'and when nothing was left to copy'

# a copy that goes on
cp "$disk" "$work/source"
: >"$work/err"
"$nbdboot" copy --rate 64K "$work/source" "$out" 2>"$work/err" &
copy=$!
until ! runs "$copy" || cmp -s -n 4096 "$disk" "$out.nbdboot-part"; do
	sleep 0.05
done
kill -INT "$copy"
wait "$copy" || :
run "$nbdboot" copy --resume --hash sha256 "$work/source" "$out"
hashed "$out" '--resume, with what was there before'

# sectors that cannot be read are zeroes in a new file
rm -f "$out"
serve 0 eval get_size='echo 12582999' \
	pread="[ \$4 -gt 51200 ] || [ \$((\$3 + \$4)) -le 51200 ] || {
		echo EIO >&2; exit 1; }
	tail -c +\$((\$4 + 1)) $disk | head -c \$3"
cp "$disk" "$work/whole"
dd if=/dev/zero of="$disk" bs=512 seek=100 count=1 conv=notrunc status=none
sum=$(sha256sum <"$disk")
sum=${sum%% *}
run "$nbdboot" copy --hash sha256 --skip-bad "nbd://127.0.0.1:$port" "$out"
expect 3 '512 bytes in 1 areas' 'a disk with errors'
check 'has the hash of what could be read, and zeroes' \
	grep -qxF "$sum  $out" "$work/out"
unserve
cp "$work/whole" "$disk"
sum=$(sha256sum <"$disk")
sum=${sum%% *}

# cached PORT [RATE]: a server that loses what it has not flushed
cached()
{
	serve "$1" ${2+--filter=rate} --filter=cache file "$work/target" \
		${2+rate="$2"} cache=writeback
}
truncate -s 0 "$work/target"
truncate -s 24M "$work/target"
cached 0 1M
: >"$work/err"
"$nbdboot" copy --progress --hash sha256 -c 1 -q 1 "$disk" \
	"nbd://127.0.0.1:$port" >"$work/line" 2>"$work/err" &
copy=$!
# the first lines may say that nothing was answered yet
until ! runs "$copy" || grep -q ' [1-9][0-9]* of 12582999 bytes' "$work/err"; do
	sleep 0.05
done
rm -f "$out"
unserve
cached "$port"
status=0
wait "$copy" || status=$?
cp "$work/line" "$work/out"
hashed "nbd://127.0.0.1:$port" 'a destination that was away'
unserve
check 'which has all of it' cmp -n 12582999 "$disk" "$work/target"

run "$nbdboot" copy --hash md5 "$disk" "$out"
expect 2 '--hash: md5 is not sha256' 'another hash'
run "$nbdboot" copy --hash sha256 "$disk" "$work/nowhere/x"
check 'a copy that fails prints no hash' [ ! -s "$work/out" ]
finish
