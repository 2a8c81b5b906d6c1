#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016 # nbdkit's scripts have variables of their own
# nbdboot copy with the servers that people run: the copy is equal to its
# source, and failures are reported.
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot
free=$(free_port)
out=$work/copy

# A disk with data at its start, in its middle and at its end, 24 MiB.
disk=$work/disk
truncate -s 24M "$disk"
head -c 3000000 /dev/urandom >"$work/random"
dd if="$work/random" of="$disk" conv=notrunc status=none
dd if="$work/random" of="$disk" bs=4096 seek=3001 conv=notrunc status=none
dd if="$work/random" of="$disk" bs=4096 seek=6143 count=1 conv=notrunc \
	status=none

# get SENTENCE NBDKIT-ARGUMENT...: copies the disk from this server
get()
{
	sentence=$1
	shift
	serve 0 "$@"
	run "$nbdboot" copy "nbd://127.0.0.1:$port" "$out"
	identical "$disk" "$out" "from $sentence, TCP"
	unserve
	rm -f "$work/sock"
	serve_at -U "$work/sock" "$@"
	run "$nbdboot" copy -c 1 "nbd+unix:///?socket=$work/sock" "$out"
	identical "$disk" "$out" "from $sentence, UNIX, one connection"
	unserve
}

get 'nbdkit file' file "$disk"
get 'nbdkit --no-sr' --no-sr file "$disk"
for mask in 0 1 2 3; do
	get "nbdkit --mask-handshake=$mask" --mask-handshake=$mask file "$disk"
done
get 'nbdkit with a delay' --filter=delay file "$disk" rdelay=2ms
get 'nbdkit with blocks of 64 KiB, 1 MiB at most' --filter=blocksize-policy \
	file "$disk" blocksize-minimum=64K blocksize-preferred=64K \
	blocksize-maximum=1M blocksize-error-policy=error
get 'nbdkit without multi-conn' --filter=multi-conn file "$disk" \
	multi-conn-mode=disable
get 'nbdkit under cow' --filter=cow file "$disk"

if [ "$(stat -c %b "$out")" -le "$(($(stat -c %b "$disk") + 64))" ]; then
	ok 'holes of the export are holes of the file'
else
	not_ok 'holes of the export are holes of the file'
	stat -c '# %b %n' "$out" "$disk"
fi

serve 0 --filter=exitlast file "$disk"
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$out"
identical "$disk" "$out" 'from nbdkit that exits with its last client'

serve 0 pattern 9999999
nbdcopy "nbd://127.0.0.1:$port" "$work/pattern"
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$out"
identical "$work/pattern" "$out" 'from nbdkit pattern, a size that is odd'
serve 0 data 'data=@32768 1*1000 @1048576 "end"' size=2M
nbdcopy "nbd://127.0.0.1:$port" "$work/data"
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$out"
identical "$work/data" "$out" 'from nbdkit data'
serve 0 sparse-random 1G seed=7
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$out"
run nbdcopy "$out" "nbd://127.0.0.1:$port" # it refuses any other content
expect 0 '' 'from nbdkit sparse-random, judged by itself'
run "$nbdboot" copy --verify "nbd://127.0.0.1:$port" "$out"
expect 0 '' 'and --verify agrees'

serve 0 data 'data=@1048576 "end"' size=1025M
run "$nbdboot" copy --verify "nbd://127.0.0.1:$port" "$out"
expect 0 '' '--verify looks at the map of the holes from its start'

# ---- towards a server ----

# put SENTENCE OPTIONS NBDKIT-ARGUMENT...: copies to it, and reads with nbdcopy
put()
{
	sentence=$1 options=$2
	shift 2
	serve 0 "$@"
	# shellcheck disable=SC2086 # words on purpose
	run "$nbdboot" copy $options "$disk" "nbd://127.0.0.1:$port"
	nbdcopy "nbd://127.0.0.1:$port" "$out"
	cmp -n 25165824 "$disk" "$out" >"$work/cmp" 2>&1 || status="differs"
	if [ "$status" = 0 ]; then
		ok "to $sentence"
	else
		not_ok "to $sentence ($status)"
		show "$work/err"
	fi
	unserve
}

put 'nbdkit memory' --verify memory 32M
put 'nbdkit with one request in flight' '-q 1 -c 1' memory 32M
put 'nbdkit with simple replies' '-S --verify' memory 32M
put 'nbdkit --no-sr' --verify --no-sr memory 32M
put 'zeroes that are there already' --destination-is-zero memory 32M
put 'nbdkit with blocks of 4 KiB' --verify --filter=blocksize-policy memory 32M \
	blocksize-minimum=4096 blocksize-preferred=4096 \
	blocksize-maximum=1M blocksize-error-policy=error
put 'nbdkit without zeroing' --verify --filter=nozero memory 32M
put 'nbdkit without flush' --verify --filter=fua memory 32M fuamode=discard

serve 0 --filter=cow file "$disk"
first=$port
serve 0 memory 24M
run "$nbdboot" copy --verify "nbd://127.0.0.1:$first" "nbd://127.0.0.1:$port"
nbdcopy "nbd://127.0.0.1:$port" "$out"
identical "$disk" "$out" 'from server to server'

# a disk that is full of other data must get the holes too
head -c 24M /dev/urandom >"$work/full"
serve 0 memory 24M
"$nbdboot" copy "$work/full" "nbd://127.0.0.1:$port"
run "$nbdboot" copy "$disk" "nbd://127.0.0.1:$port"
nbdcopy "nbd://127.0.0.1:$port" "$out"
identical "$disk" "$out" 'holes overwrite what was there'

# ---- other servers ----

qemu-img convert -O qcow2 "$disk" "$work/qcow2"
daemon_at "$free" qemu-nbd -p "$free" -b 127.0.0.1 -t -f qcow2 "$work/qcow2"
run "$nbdboot" copy --verify "nbd://127.0.0.1:$free" "$out"
identical "$disk" "$out" 'from qemu-nbd, qcow2 with holes'
"$nbdboot" copy "$work/full" "nbd://127.0.0.1:$free"
run "$nbdboot" copy --verify "$disk" "nbd://127.0.0.1:$free"
nbdcopy "nbd://127.0.0.1:$free" "$out"
identical "$disk" "$out" 'to qemu-nbd'
free=$(free_port)
cp "$disk" "$work/served"
cat >"$work/nbd.conf" <<END
[generic]
listenaddr = 127.0.0.1
port = $free
[disk]
exportname = $work/served
trim = true
END
nbd_server_at "$free" "$work/nbd.conf"
run "$nbdboot" copy "nbd://127.0.0.1:$free/disk" "$out"
identical "$disk" "$out" 'from nbd-server'
run "$nbdboot" copy --verify "$work/full" "nbd://127.0.0.1:$free/disk"
identical "$work/full" "$work/served" 'to nbd-server'

# ---- pipes and files ----

status=0
"$nbdboot" copy - "$out" <"$disk" 2>"$work/err" || status=$?
identical "$disk" "$out" 'from standard input to a file'
status=0
"$nbdboot" copy "$disk" - >"$out" 2>"$work/err" || status=$?
identical "$disk" "$out" 'from a file to standard output'
serve 0 --filter=delay file "$disk" rdelay=1ms
status=0
"$nbdboot" copy "nbd://127.0.0.1:$port" - 2>"$work/err" | cat >"$out" ||
	status=$?
identical "$disk" "$out" 'answers in any order leave a pipe in order'
# the even pieces come late, so that answers are out of order
serve 0 eval get_size='echo 25165824' can_multi_conn='exit 0' \
	thread_model='echo parallel' pread="
	[ \$((\$4 / 262144 % 2)) = 1 ] || sleep 0.05
	tail -c +\$((\$4 + 1)) $disk | head -c \$3"
for depth in 1 2 3 8 32; do
	status=0
	"$nbdboot" copy -q $depth "nbd://127.0.0.1:$port" - 2>"$work/err" |
		cat >"$out" || status=$?
	identical "$disk" "$out" "late answers and a pipe, depth $depth"
done

# pipes with a name
mkfifo "$work/fifo"
head -c 1000 "$work/random" >"$work/small"
"$nbdboot" copy "$work/small" "$work/fifo" 2>"$work/err" &
copy=$!
until ! runs "$copy" || grep -qs '^State:.S' "/proc/$copy/status"; do
	sleep 0.1
done
timeout 60 cat "$work/fifo" >"$out" || :
status=0
wait "$copy" || status=$?
identical "$work/small" "$out" 'a pipe with a name waits for its reader'
head -c 1 "$work/fifo" >/dev/null &
run timeout 60 "$nbdboot" copy "$disk" "$work/fifo"
expect 1 "write $work/fifo at offset" 'a reader that dies ends the copy'
expect 1 'Broken pipe' 'and that is the reason'
exec 7<>"$work/fifo"
run timeout 60 "$nbdboot" copy "$work/fifo" "$work/fifo"
expect 2 'are the same' 'a pipe is not copied onto itself'
exec 7>&-
run "$nbdboot" copy --resume "$disk" "$work/fifo"
expect 1 "$work/fifo exists" 'and does not go on'
rm "$work/fifo"
status=0
"$nbdboot" copy "$disk" /dev/stdout 2>"$work/err" | cat >"$out" || status=$?
identical "$disk" "$out" 'to /dev/stdout'
for name in - /dev/stdout; do
	: >"$work/out"
	{
		timeout 60 "$nbdboot" copy "$disk" $name 2>"$work/err" ||
			echo $? >"$work/status"
	} | head -c 1 >/dev/null
	status=$(cat "$work/status")
	expect 1 "write $name at offset" "to $name, which is closed"
done

run "$nbdboot" copy "$disk" "$out"
identical "$disk" "$out" 'from file to file'
: >"$work/empty"
run "$nbdboot" copy "$work/empty" "$out"
identical "$work/empty" "$out" 'an empty file'

# ---- refused before the first byte ----

cp "$disk" "$out"
run "$nbdboot" copy "$out" "$out"
expect 2 'are the same' 'a file is not copied onto itself'
status=0
identical "$disk" "$out" 'and stays as it was'
serve 0 memory 1M
run "$nbdboot" copy "$disk" "nbd://127.0.0.1:$port"
expect 1 "too small: it has 1048576 bytes, and 25165824 of $disk are to be" \
	'a destination that is too small'
expect 1 '(nothing was written)' 'and the hint is not about the source'
nbdcopy "nbd://127.0.0.1:$port" "$out"
truncate -s 1M "$work/zeroes"
status=0
identical "$work/zeroes" "$out" 'which holds what it held'
serve 0 -r memory 32M
run "$nbdboot" copy "$disk" "nbd://127.0.0.1:$port"
expect 1 'read-only' 'a destination that is read-only'

# the same through a UNIX socket, whose goodbye goes another way
rm -f "$work/sock"
serve_at -U "$work/sock" memory 1M
for source in "$disk" "nbd://127.0.0.1:$port"; do
	run "$nbdboot" copy "$source" "nbd+unix:///?socket=$work/sock"
	expect 1 'too small: it has 1048576 bytes, and ' \
		"from ${source%%:*} to a socket that is too small"
done
run "$nbdboot" info "nbd+unix:///?socket=$work/sock"
expect 0 1048576 'and its server is well'
run "$nbdboot" copy "$disk" "$work/sock"
expect 1 "open $work/sock: No such device" 'a path of a socket is no pipe'
run "$nbdboot" copy "$work/sock" "$out"
expect 1 "open $work/sock: No such device" 'as a source neither'
rm -f "$work/sock"
serve_at -U "$work/sock" -r memory 32M
run "$nbdboot" copy "$disk" "nbd+unix:///?socket=$work/sock"
expect 1 'read-only' 'and to one that is read-only'
run "$nbdboot" copy "$work/nothing" "$out"
expect 1 'nothing: No such file' 'a source that is not there'
run "$nbdboot" copy "$disk" "$work"
expect 1 'Is a directory' 'a destination that is a directory'
run "$nbdboot" copy --verify "$disk" -
expect 2 '--verify cannot read a pipe back' '--verify of a pipe'
run "$nbdboot" copy -q 99 a b
expect 2 'is not a number from 1 to' 'a depth out of range'

# ---- errors on the way ----

serve 0 --filter=error file "$disk" error-pread=EIO error-pread-rate=100% \
	error-file="$work/fault"
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$out"
identical "$disk" "$out" 'a server without faults'
: >"$work/fault"
run "$nbdboot" copy -c 1 -q 1 "nbd://127.0.0.1:$port" "$out"
expect 1 'read at offset 0 ' 'a read error ends with its offset'
serve 0 --filter=error memory 32M error-pwrite=ENOSPC error-pwrite-rate=100%
run "$nbdboot" copy "$disk" "nbd://127.0.0.1:$port"
expect 1 'write at offset' 'a write error ends with its offset'
serve 0 eval get_size='echo 33554432' can_write='exit 0' can_flush='exit 0' \
	pwrite='cat >/dev/null' pread='head -c $3 /dev/zero' \
	zero='exit 0' can_zero='exit 0' flush='echo EIO >&2; exit 1'
run "$nbdboot" copy "$disk" "nbd://127.0.0.1:$port"
expect 1 'flush' 'a flush that fails is a failure of the copy'
serve 0 --filter=error file "$disk" error-extents=EIO \
	error-extents-rate=100%
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$out"
identical "$disk" "$out" 'without a map everything is read'
status=0
"$nbdboot" copy "$disk" /dev/full >"$work/out" 2>"$work/err" || status=$?
expect 1 'No space left' 'a full device'

# ---- sendfile() into a UNIX socket ----

# injected STRACE-OPTION...: copies while system calls fail
injected()
{
	rm -f "$work/sock"
	serve_at -U "$work/sock" memory 24M
	run env ASAN_OPTIONS=detect_leaks=0 strace -o "$work/trace" \
		-P "$disk" -e trace=sendfile,pread64 "$@" \
		"$nbdboot" copy "$disk" "nbd+unix:///?socket=$work/sock"
	[ "$status" != 0 ] ||
		nbdcopy "nbd+unix:///?socket=$work/sock" "$work/back"
}

injected
identical "$disk" "$work/back" 'a file into a UNIX socket'
if grep -q '^sendfile.* = [1-9]' "$work/trace" &&
	! grep -q '^pread' "$work/trace"; then
	ok 'and its data is not read into memory'
else
	not_ok 'and its data is not read into memory'
	show "$work/trace"
fi
injected -e inject=sendfile:error=EINVAL
identical "$disk" "$work/back" 'a file system that cannot do so'
injected -e inject=sendfile:error=EINVAL:when=2+3
identical "$disk" "$work/back" 'or only begins to'
injected -e inject=sendfile:error=EINTR:when=1+2
identical "$disk" "$work/back" 'signals meanwhile'
injected -e inject=sendfile:error=EIO:when=9+ \
	-e inject=pread64:error=EIO
expect 1 "read $disk at offset" 'a read error of the file is reported'

# the first write makes the file shorter
cp "$disk" "$work/shrinks"
dd if=/dev/zero of="$work/shrinks" bs=1M count=24 conv=notrunc status=none
rm -f "$work/sock"
serve_at -U "$work/sock" eval get_size='echo 25165824' can_write='exit 0' \
	can_flush='exit 0' flush='exit 0' \
	pwrite="truncate -s 16M $work/shrinks; cat >/dev/null"
run "$nbdboot" copy "$work/shrinks" "nbd+unix:///?socket=$work/sock"
expect 1 'it ends at offset 16777216, before its size' \
	'a file that shrinks meanwhile'
run "$nbdboot" info "nbd+unix:///?socket=$work/sock"
expect 0 '' 'and the server is well'

# a hole that was there at the start, and is not any more
cp --sparse=always "$disk" "$work/shrinks"
truncate -s 0 "$work/shrinks"
truncate -s 24M "$work/shrinks"
dd if="$work/random" of="$work/shrinks" bs=64K count=1 conv=notrunc status=none
rm -f "$work/sock"
serve_at -U "$work/sock" eval get_size='echo 25165824' can_write='exit 0' \
	can_flush='exit 0' flush='exit 0' can_zero='exit 0' zero='exit 0' \
	pwrite="truncate -s 16M $work/shrinks; cat >/dev/null"
run "$nbdboot" copy "$work/shrinks" "nbd+unix:///?socket=$work/sock"
expect 1 'has 16777216 bytes now, and had 25165824' \
	'a sparse file that shrinks meanwhile'
unserve

# the same when it is compared
truncate -s 24M "$work/shrinks"
rm -f "$work/sock"
serve_at -U "$work/sock" eval get_size='echo 25165824' can_write='exit 0' \
	can_flush='exit 0' flush='exit 0' can_zero='exit 0' zero='exit 0' \
	pwrite='cat >/dev/null' \
	pread="truncate -s 16M $work/shrinks
		[ \$4 -ge 65536 ] || exec dd if=$work/shrinks iflag=skip_bytes,count_bytes skip=\$4 count=\$3
		head -c \$3 /dev/zero"
run "$nbdboot" copy --verify "$work/shrinks" "nbd+unix:///?socket=$work/sock"
expect 1 'has 16777216 bytes now, and had 25165824' \
	'--verify is not fooled by that'
unserve

# an export whose end cannot be read
serve 0 --filter=blocksize-policy memory 1000000 blocksize-minimum=4096
printf precious >"$work/kept"
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$work/kept"
expect 1 'its minimum block size, 4096: the last 576 cannot be read' \
	'a size that is no multiple of the minimum block size'
run cat "$work/kept"
expect 0 precious 'and the destination stays as it was'
unserve

# until_larger FILE SIZE PID: returns when it is, or when the process has ended
until_larger()
{
	until [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt "$2" ] ||
		! runs "$3"; do sleep 0.1; done
}

# crawl NBDKIT-ARGUMENT...: a server for copies that are still under way when this
# script goes on, however late: it would take most of a minute
crawl()
{
	serve 0 --filter=rate "$@" rate=1M
}

# the server dies half-way
crawl file "$disk"
"$nbdboot" copy --patience 0 -q 2 "nbd://127.0.0.1:$port" "$out" \
	2>"$work/err" &
copy=$!
# it has begun when the file has its size
part=$out.nbdboot-part
until_larger "$part" 0 "$copy"
# behind its data it soon has the record for --resume
check 'a file has another name while it is written' \
	[ "$(stat -c %s "$part")" -ge 25165824 ]
unserve
status=0
wait "$copy" || status=$?
: >"$work/out"
expect 1 "$part is incomplete" 'a server that dies on the way'
check 'leaves no file that looks complete' [ ! -e "$out" ]

# ---- a server that is away for a while ----

# until_says PATTERN: returns when the copy says it, or has ended.  A line of its
# progress may come before the first answer, so one with some bytes is awaited: a
# server that has answered nothing is none to wait for.
until_says()
{
	until grep -q -e "$1" "$work/err" || ! runs "$copy"; do sleep 0.05; done
}

# begin OPTION... SOURCE DESTINATION: starts a copy in the background
begin()
{
	rm -f "$out" "$part"
	: >"$work/out"
	: >"$work/err"
	"$nbdboot" copy "$@" 2>>"$work/err" &
	copy=$!
}

# cut: kills the server, and returns when the copy waits for it
cut()
{
	unserve
	until_says 'waiting for the server'
}

end()
{
	status=0
	wait "$copy" || status=$?
}

crawl file "$disk"
begin --verify -q 2 "nbd://127.0.0.1:$port" "$out"
until_larger "$part" 0 "$copy"
cut
serve "$port" file "$disk"
end
identical "$disk" "$out" 'a source that comes back'
expect 0 'for 600 s at most' 'its end is reported'
expect 0 "nbd://127.0.0.1:$port answers again, after" 'and its return'

# other data of the same size, and other sizes
for other in "file $work/full" 'memory 24M' 'memory 25M'; do
	crawl file "$disk"
	begin -q 2 "nbd://127.0.0.1:$port" "$out"
	until_larger "$part" 0 "$copy"
	cut
	# shellcheck disable=SC2086 # words on purpose
	serve "$port" $other
	end
	expect 1 "nbd://127.0.0.1:$port, away for" \
		"not one that is another disk: $other"
	unserve
done

# cached PORT [RATE]: what was acknowledged, but not flushed, is lost with this
# cache.
cached()
{
	serve "$1" ${2+--filter=rate} --filter=cache file "$work/target" \
		${2+rate="$2"} cache=writeback
}

for options in '-c 1 -q 1' '-q 4 --verify'; do
	truncate -s 0 "$work/target"
	truncate -s 24M "$work/target"
	cached 0 4M
	# shellcheck disable=SC2086 # words on purpose
	begin --progress $options "$work/full" "nbd://127.0.0.1:$port"
	until_says ' [1-9][0-9]* of 25165824 bytes'
	cut
	cached "$port"
	end
	expect 0 'answers again' "a destination that comes back: $options"
	unserve
	check 'and has lost nothing' cmp "$work/full" "$work/target"
done

crawl memory 24M
mkfifo "$work/stream"
cat "$work/full" >"$work/stream" &
begin --progress -q 1 "$work/stream" "nbd://127.0.0.1:$port"
until_says '^[1-9][0-9]* bytes '
cut
serve "$port" memory 24M
end
expect 1 'that cannot be read again from a pipe' 'not if a pipe would be lost'
rm "$work/stream"

crawl file "$disk"
begin --patience 1 -q 2 "nbd://127.0.0.1:$port" "$out"
until_larger "$part" 0 "$copy"
unserve
end
expect 1 'connection refused' 'patience has an end'

crawl file "$disk"
begin -q 2 "nbd://127.0.0.1:$port" "$out"
until_larger "$part" 0 "$copy"
cut
kill -INT "$copy"
end
expect 1 'interrupted: the first' 'SIGINT ends it, too'

# SIGINT
rm -f "$out" "$part"
crawl file "$disk"
"$nbdboot" copy -c 1 -q 1 "nbd://127.0.0.1:$port" "$out" 2>"$work/err" &
copy=$!
until_larger "$part" 0 "$copy"
kill -INT "$copy"
status=0
wait "$copy" || status=$?
expect 1 'interrupted: the first' 'SIGINT stops and says how far it got'
check 'and does not blame the server' grep -q 'are copied$' "$work/err"
check 'and leaves no file that looks complete' [ ! -e "$out" ]

# SIGKILL, and one that ends
rm -f "$part"
"$nbdboot" copy -c 1 -q 1 "nbd://127.0.0.1:$port" "$out" 2>"$work/err" &
copy=$!
until_larger "$part" 0 "$copy"
kill -KILL "$copy"
wait "$copy" 2>/dev/null || :
check 'SIGKILL, neither' [ ! -e "$out" ]
serve 0 file "$disk"
echo old >"$out"
chmod 604 "$out"
ln "$out" "$work/link"
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$out"
identical "$disk" "$work/link" 'a file that was there is written in its place'
check 'and keeps its mode' [ "$(stat -c %a "$out")" = 604 ]
check 'and has its name' [ ! -e "$part" ]
ln -sf link "$work/symbolic"
run "$nbdboot" copy "nbd://127.0.0.1:$port" "$work/symbolic"
identical "$disk" "$work/symbolic" 'a symbolic link stays one'
check 'to the same file' [ "$work/symbolic" -ef "$out" ]

# ---- an interrupted copy goes on ----

# SIGKILL, with late answers on several connections, and none for the end
rm -f "$out" "$part"
: >"$work/hold"
serve 0 eval get_size='echo 25165824' can_multi_conn='exit 0' \
	thread_model='echo parallel' pread="
	while [ \$4 -gt 16777216 ] && [ -e $work/hold ]; do sleep 0.1; done
	[ \$((\$4 / 262144 % 2)) = 1 ] || sleep 0.05
	tail -c +\$((\$4 + 1)) $work/full | head -c \$3"
"$nbdboot" copy "nbd://127.0.0.1:$port" "$out" 2>"$work/err" &
copy=$!
until_larger "$part" 25165824 "$copy"
# over lwIP they would want the same network card
if [ ! "${LWIP_FRAMES-}" ]; then
	run "$nbdboot" copy --resume "nbd://127.0.0.1:$port" "$out"
	expect 1 "another copy writes $out" 'a copy that runs is not resumed'
fi
run "$nbdboot" copy "$disk" "$part"
expect 1 "another copy writes $part" 'and nobody else writes to its file'
kill -KILL "$copy"
rm "$work/hold"
wait "$copy" 2>/dev/null || :
cp "$part" "$work/part"
run "$nbdboot" copy --resume "nbd://127.0.0.1:$port" "$out"
identical "$work/full" "$out" '--resume after SIGKILL'
check 'and the file has its own name only' [ ! -e "$part" ]

serve 0 memory 24M
cp "$work/part" "$part"
rm "$out"
run "$nbdboot" copy --resume "nbd://127.0.0.1:$port" "$out"
expect 1 "$part is not from this source" 'another source is refused'
check 'and the file stays' cmp "$work/part" "$part"
serve 0 memory 25M
run "$nbdboot" copy --resume "nbd://127.0.0.1:$port" "$out"
expect 1 'is from a source of 25165824 bytes, and' 'or another size'
check 'and that is not about connections' \
	sh -c '[ -s "$1" ] && ! grep connection "$1"' - "$work/err"
check 'then, too' cmp "$work/part" "$part"

run "$nbdboot" copy "$work/full" "$out"
expect 0 '' 'a whole copy'
run "$nbdboot" copy --resume "$work/full" "$out"
expect 1 "$out exists: --resume goes on with" 'a file that is complete'
rm "$out"
run "$nbdboot" copy --resume "$work/full" "$out"
expect 1 "there is no file $part" 'no file to go on with'
head -c 24M "$work/part" >"$part"
run "$nbdboot" copy --resume "$work/full" "$out"
expect 1 'does not tell how far it is' 'a file without a record'
rm "$part"
ln -s "$work/part" "$part"
run "$nbdboot" copy --resume "$work/full" "$out"
expect 1 "there is no file $part" 'a link to a file'
rm "$part"
for to in - "nbd://127.0.0.1:$port"; do
	run "$nbdboot" copy --resume "$work/full" "$to"
	expect 2 "--resume: $to is not a file" "--resume to $to"
done
cp "$work/part" "$part"
run "$nbdboot" copy --resume - "$out"
expect 2 'cannot be read from the middle' '--resume of a pipe'
rm "$part"

# ---- progress and other output ----

serve 0 --filter=delay file "$disk" rdelay=100ms
run "$nbdboot" copy --progress -c 1 -q 1 "nbd://127.0.0.1:$port" "$out"
expect 0 '100%  25165824 of 25165824 bytes' '--progress ends at 100%'
run "$nbdboot" copy --latency "nbd://127.0.0.1:$port" "$out"
expect 0 'read: count' '--latency prints a histogram'
run sh -c 'exec "$@" 2>/dev/full' - "$nbdboot" copy --latency \
	"nbd://127.0.0.1:$port" "$out"
expect 0 '' 'a histogram that is lost is no failure of the copy'
run sh -c 'exec "$@" >/dev/full' - "$nbdboot" copy --latency --hash=sha256 \
	"nbd://127.0.0.1:$port" "$out"
expect 1 'read: count' 'nor does a hash that is lost hide it'

# a descriptor of the image must not be that of the messages
for closed in '2>&-' '<&- 2>&-' '<&- >&- 2>&-'; do
	rm -f "$out"
	run sh -c "exec \"\$@\" $closed" - "$nbdboot" copy --progress -c 1 \
		"nbd://127.0.0.1:$port" "$out"
	identical "$disk" "$out" "a copy with $closed"
done
run sh -c 'exec "$@" >&-' - "$nbdboot" copy "$disk" -
expect 1 'Bad file descriptor' 'standard output that is closed is no pipe'

finish
