#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot info: the description, the map, and the failures of servers.
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot
PATH=$PATH:/sbin:/usr/sbin
sock=$work/sock
free=$(free_port)

# same TEXT SENTENCE: the output of run is TEXT and nothing else
same()
{
	if printf "$1" | cmp -s - "$work/out" && [ "$status" = 0 ]; then
		ok "$2"
		return
	fi
	not_ok "$2"
	echo "# status $status, wanted:"
	printf "$1" | sed 's/^/# /'
	show "$work/out"
	show "$work/err"
}

# same_text TEXT SENTENCE: the same for a command that fails
same_text()
{
	if printf '%s' "$1" | cmp -s - "$work/out"; then
		ok "$2"
	else
		not_ok "$2"
		show "$work/out"
	fi
}

# json FILTER WANT SENTENCE: jq prints WANT for the output
json()
{
	got=$(jq -c "$1" "$work/out") || got='invalid JSON'
	if [ "$got" = "$2" ] && [ "$status" = 0 ]; then
		ok "$3"
		return
	fi
	not_ok "$3"
	echo "# status $status, $got in place of $2"
	show "$work/out"
	show "$work/err"
}

quiet()
{
	if [ -s "$work/err" ]; then
		not_ok "$1"
		show "$work/err"
	else
		ok "$1"
	fi
}

# on_socket NBDKIT-ARGUMENT...: replaces the last server
on_socket()
{
	rm -f "$sock"
	serve_at -U "$sock" "$@"
}

# Prints the map that qemu sees at URI $1, in the form of --map.
qemu_map()
{
	qemu-img map -f raw --output=json "$1" | jq -r '
		def type: if .data | not then "hole," else "" end +
			if .zero then "zero," else "" end |
			if . == "" then "data" else .[:-1] end;
		reduce (.[] | {start, length, type: type}) as $e ([];
			if length > 0 and .[-1].type == $e.type then
				.[-1].length += $e.length
			else
				. + [$e]
			end) | .[] | "\(.start) \(.length) \(.type)"'
}

# like_qemu URI SENTENCE
like_qemu()
{
	qemu_map "$1" >"$work/want"
	run "$nbdboot" info --map "$1"
	if [ "$status" = 0 ] && [ -s "$work/want" ] &&
		cmp -s "$work/want" "$work/out"; then
		ok "$2 ($(wc -l <"$work/out") lines)"
	else
		not_ok "$2"
		diff "$work/want" "$work/out" | head | sed 's/^/# /'
		show "$work/err"
	fi
}

# ---- the description ----

rw='send-flush send-fua send-trim send-write-zeroes'
serve 0 --filter=blocksize-policy memory 1M blocksize-minimum=512 \
	blocksize-preferred=4K blocksize-maximum=1M
run "$nbdboot" info "nbd://127.0.0.1:$port"
same "nbd://127.0.0.1:$port
  Name:        [default export]
  Description: not reported
  Size:        1048576 (1.0M)
  Flags:       $rw send-df can-multi-conn send-cache send-fast-zero
  Blocksize:   minimum 512, preferred 4096, maximum 1048576
  TLS:         no
  Replies:     structured
  Contexts:    base:allocation
  Content:     only zeroes (is it the right export?)
" 'nbdkit over TCP, in words'
quiet 'without an error there is no message'
run "$nbdboot" info --json -p "$port" 127.0.0.1
json 'keys_unsorted | join(" ")' \
	'"name description size flags block_size tls replies contexts content label uuid"' \
	'the same as JSON: its keys'
json '[.name, .description, .size, .tls, .replies]' \
	'["","",1048576,false,"structured"]' 'the same as JSON: its values'
json '.block_size' '{"minimum":512,"preferred":4096,"maximum":1048576}' \
	'the same as JSON: block sizes'
json '.contexts' '["base:allocation"]' 'the same as JSON: contexts'
json '.flags | join(" ")' \
	"\"$rw send-df can-multi-conn send-cache send-fast-zero\"" \
	'the same as JSON: flags'

run "$nbdboot" info -S --json -p "$port" 127.0.0.1
json '[.replies, .contexts]' '["simple",null]' '-S: simple replies'
json '.flags | index("send-df")' null '-S: nothing that needs structured ones'

# newer PACKAGE VERSION: is Debian's package of that, or later?
newer()
{
	dpkg --compare-versions "$(dpkg-query -W -f '${Version}' "$1")" ge "$2"
}

# the server in Debian 13 reports some
sizes=null words='not reported'
! newer nbdkit 1.42 || {
	sizes='{"minimum":1,"preferred":32768,"maximum":4294967295}'
	words='minimum 1'
}
on_socket -r memory 10G
run "$nbdboot" info --json "$sock"
json '[.size, .block_size, .flags[0]]' "[10737418240,$sizes,\"read-only\"]" \
	'nbdkit over a UNIX socket: read-only, its block sizes'
run "$nbdboot" info "$sock"
expect 0 "Blocksize:   $words" 'its block sizes, in words'

on_socket --no-sr memory 1M
run "$nbdboot" info "$sock"
expect 0 'Replies:     simple' 'a server without structured replies'
expect 0 'Contexts:    not reported' 'has no contexts'
quiet 'and that is no failure'

for mask in 0 1 2 3; do
	on_socket --mask-handshake=$mask memory 1M
	run "$nbdboot" info --json "$sock"
	[ $((mask & 1)) = 1 ] && replies=structured || replies=simple
	json '[.size, .replies]' "[1048576,\"$replies\"]" \
		"handshake flags masked with $mask"
done

on_socket eval get_size='echo 1M' \
	export_description='printf "a\\033[31m\\tb\"\\\\\\302\\233"'
run "$nbdboot" info -n "$(printf 'x\033y')" "$sock"
expect 0 'Name:        x\x1by' 'the name is escaped for the terminal'
expect 0 'Description: a\x1b[31m\x09b"\\\xc2\x9b' \
	'the description is escaped for the terminal'
run "$nbdboot" info --json -n "$(printf 'x\033y')" "$sock"
json '.name == "x\u001by" and .description == "a\u001b[31m\tb\"\\\u009b"' \
	true 'both are whole in JSON'

# ---- other servers ----

qemu-img create -q -f qcow2 "$work/disk" 5G
qemu-io -f qcow2 -c 'write -P 1 1M 64k' -c 'write -z 2M 1M' \
	-c 'write -P 2 4608M 128k' -c 'write -z -u 4700M 1M' "$work/disk" \
	>"$work/log"
uri=nbd://127.0.0.1:$free/disk0
daemon_at "$free" qemu-nbd -p "$free" -b 127.0.0.1 -r -t -e 4 -f qcow2 -A -x disk0 \
	-D 'a qemu disk' "$work/disk"
run "$nbdboot" info --json "$uri"
json '[.name, .description, .size]' '["disk0","a qemu disk",5368709120]' \
	'qemu-nbd: name and description'
json '.contexts' '["base:allocation","qemu:allocation-depth"]' \
	'qemu-nbd: all contexts'
like_qemu "$uri" 'qemu-nbd: the map of a qcow2 is what qemu-img sees'
run "$nbdboot" info --map "$uri"
expect 0 '1048576 65536 data' 'qemu-nbd: data where it was written'
run "$nbdboot" info --map --json "$uri"
json 'map(select(.type == "data") | [.start, .length])' \
	'[[1048576,65536],[4831838208,131072]]' \
	'qemu-nbd: beyond 4 GiB too, and as JSON'
json 'map(.length) | add' 5368709120 'qemu-nbd: the map is complete'
run "$nbdboot" info "nbd://127.0.0.1:$free/nope"
expect 1 'the server has no export "nope"' 'qemu-nbd: no such export'

free=$(free_port)
daemon_at "$free" qemu-nbd -p "$free" -b 127.0.0.1 -r -f qcow2 -x disk0 \
	"$work/disk"
run "$nbdboot" info --json "nbd://127.0.0.1:$free/disk0"
json '[.size, .contexts]' '[5368709120,["base:allocation"]]' \
	'a server for one client, once, is not asked in vain'

free=$(free_port)
truncate -s 1M "$work/raw"
cat >"$work/nbd.conf" <<END
[generic]
listenaddr = 127.0.0.1
port = $free
[first]
exportname = $work/raw
readonly = true
END
daemon_at "$free" nbd-server -d -C "$work/nbd.conf"
run "$nbdboot" info --json "nbd://127.0.0.1:$free/first"
replies=simple
! newer nbd-server 1:3.26 || replies=structured
json '[.name, .size, .replies, .contexts, .flags[0]]' \
	"[\"first\",1048576,\"$replies\",null,\"read-only\"]" nbd-server
run "$nbdboot" info "nbd://127.0.0.1:$free/second"
expect 1 'second' 'nbd-server: no such export'

# ---- what is in it ----

# holds FILE WANT SENTENCE: of a file that nbdkit serves
holds()
{
	on_socket -r file "$1"
	run "$nbdboot" info "$sock"
	expect 0 "Content:     $2" "$3"
	quiet "$3: without a message"
}
truncate -s 8M "$work/ext4"
mke2fs -q -t ext4 -L 'the root' -U 0c1b2a39-4857-4675-a483-92a1b0cfdeed \
	"$work/ext4"
holds "$work/ext4" \
	'ext4, label the root, UUID 0c1b2a39-4857-4675-a483-92a1b0cfdeed' \
	'an ext4 with its names'
run "$nbdboot" info --json "$sock"
json '[.content, .label, .uuid]' \
	'["ext4","the root","0c1b2a39-4857-4675-a483-92a1b0cfdeed"]' \
	'the same as JSON'
tune2fs -L "$(printf 'a\033[m')" "$work/ext4" >"$work/log"
holds "$work/ext4" 'ext4, label a\x1b[m, UUID' 'a label is escaped'
for f in qcow2 qed vmdk vhdx vpc vdi parallels; do
	qemu-img create -q -f $f "$work/image" 64M
	name=$(echo $f | sed 's/vpc/vhd/; s/parallels/Parallels/
		/^[vq][^c]/s/.*/\U&/')
	holds "$work/image" \
		"a $name image (the server has to open it: qemu-nbd -f $f)" \
		"what qemu-img makes of $f"
done
for kind in 'gzip:a gzip archive:nbdkit --filter=gzip' \
	'xz:an xz archive:nbdkit --filter=xz' \
	'zstd:a zstd archive:unpack it' 'bzip2:a bzip2 archive:unpack it'; do
	IFS=: read -r f name hint <<-END
		$kind
	END
	$f -c "$work/ext4" >"$work/image"
	holds "$work/image" "$name (" "what $f makes"
	expect 0 "$hint" "and what to do about $f"
done
# and what the hints say is right
on_socket -r --filter=gzip file "$work/image"
run "$nbdboot" info "$sock"
expect 1 '' 'nbdkit --filter=gzip refuses bzip2'
gzip -c "$work/ext4" >"$work/image"
on_socket -r --filter=gzip file "$work/image"
run "$nbdboot" info "$sock"
expect 0 'Content:     ext4, label' 'nbdkit --filter=gzip serves the ext4 in it'
mkswap "$work/ext4" >"$work/log" 2>&1
holds "$work/ext4" 'swap space (is it' 'swap space'
mksquashfs boot/words "$work/sq" -quiet -no-progress >"$work/log" 2>&1
holds "$work/sq" squashfs 'a squashfs of odd size'
{
	head -c 64 /dev/zero
	cat "$work/sq"
} >"$work/image"
holds "$work/image" 'a squashfs at byte 64 (the server has to open it: nbdkit' \
	'a squashfs behind a header'
on_socket -r --filter=offset file "$work/image" offset=64
run "$nbdboot" info "$sock"
expect 0 'Content:     squashfs' 'and nbdkit --filter=offset takes that away'
truncate -s 8M "$work/image"
for n in 0.90 1.0; do
	: >"$work/empty"
	truncate -s 8M "$work/empty"
	case $n in
	0.90) magic='\374\116\053\251\0\0\0\0\132\0\0\0' at=8323072 ;;
	1.0) magic='\374\116\053\251\1\0\0\0' at=8380416 ;;
	esac
	printf "$magic" | dd of="$work/empty" bs=1 seek="$at" conv=notrunc \
		status=none
	holds "$work/empty" 'a member of an md RAID (' "md at the end, $n"
done
on_socket --filter=blocksize-policy memory 131000 blocksize-minimum=4096 \
	blocksize-error-policy=error
run "$nbdboot" info "$sock"
expect 0 'Content:     only zeroes' 'a tail that is no whole block is not read'
quiet 'and no request of info is refused'

# ---- the map ----

on_socket data '1 @0x10000 2 @0x140000000 3' size=10G
run "$nbdboot" info --map "$sock"
same '0 32768 data
32768 32768 hole,zero
65536 32768 data
98304 5368610816 hole,zero
5368709120 32768 data
5368741888 5368676352 hole,zero
' 'extents over several requests are merged'
quiet 'a map comes without a note'
run "$nbdboot" info --map -S "$sock"
same '0 10737418240 data\n' '-S: all of it is data'
expect 0 'no block status: all of it is shown as data' '-S: and a message says so'
run "$nbdboot" info --map --json -S "$sock"
json . '[{"start":0,"length":10737418240,"type":"data"}]' '-S: as JSON'

on_socket sparse-random 1G seed=1
like_qemu "nbd+unix:///?socket=$sock" 'sparse-random'
on_socket sparse-random 128M seed=1 runlength=32768 percent=50
like_qemu "nbd+unix:///?socket=$sock" 'more extents than an answer has room for'

# One extent per answer, each 64 KiB long; the types change at 256 and 512 KiB.
# shellcheck disable=SC2016 # for the server's shell
on_socket eval get_size='echo 1M' pread='head -c $3 /dev/zero' extents="
	echo \$4 >>$work/asked
	case \$((\$4 / 262144)) in
	0) echo \$4 65536 hole ;;
	1) echo \$4 65536 zero ;;
	*) echo \$4 65536 ;;
	esac"
run "$nbdboot" info --map "$sock"
same '0 262144 hole\n262144 262144 zero\n524288 524288 data\n' \
	'short answers are followed up and merged'
if seq 0 65536 1048575 | cmp -s - "$work/asked"; then
	ok 'each question begins where the answer before it ended'
else
	not_ok 'each question begins where the answer before it ended'
	show "$work/asked"
fi

on_socket --filter=blocksize-policy memory 10000 blocksize-minimum=4096 \
	blocksize-error-policy=error
run "$nbdboot" info --map "$sock"
same '0 8192 hole,zero\n8192 1808 data\n' \
	'a tail that is no whole block counts as data'
run "$nbdboot" info --latency "$sock"
expect 0 'read: count 256,' 'and is not read'

on_socket memory 0
run "$nbdboot" info --map "$sock"
same '' 'an empty export has an empty map'
run "$nbdboot" info --map --json "$sock"
json . '[]' 'as JSON too'
run "$nbdboot" info --latency "$sock"
expect 0 'Size:        0' 'and nothing to read'

# ---- latency ----

on_socket --filter=log memory 1G logfile="$work/log"
run "$nbdboot" info --latency "$sock"
sum=$(awk '/->/ { sum += $5 } END { print sum }' "$work/out")
if [ "$status" = 0 ] && [ "$sum" = 256 ] &&
	grep -q '^read: count 256, p50 [0-9]*, p99 ' "$work/out"; then
	ok '256 reads are in the histogram'
else
	not_ok "256 reads are in the histogram: $sum, status $status"
	show "$work/out"
fi
offsets=$(sed -n 's/.* Read id=.* offset=\([^ ]*\) count=0x1000 .*/\1/p' \
	"$work/log" | sort -u | wc -l)
if [ "$offsets" = 256 ]; then
	ok 'of 4096 bytes each, at 256 places'
else
	not_ok "of 4096 bytes each, at 256 places: $offsets"
	head "$work/log" | sed 's/^/# /'
fi
run "$nbdboot" info --latency --map "$sock"
expect 0 'block-status: count 1,' 'with --map its requests have one too'

on_socket --filter=delay memory 1M delay-read=20ms
run "$nbdboot" info --latency -S "$sock"
least=$(sed -n 's/ *\([0-9]*\) ->.*/\1/p' "$work/out" | head -n 1)
if [ "$status" = 0 ] && [ "${least:-0}" -ge 16777 ]; then
	ok 'a delay of 20 ms in the server is seen'
else
	not_ok "a delay of 20 ms in the server is seen: from $least us on"
fi
on_socket memory 512
run "$nbdboot" info --latency "$sock"
expect 0 'read: count 256' 'an export of one sector is read over and over'

# ---- failures ----

# shellcheck disable=SC2016 # for the server's shell
on_socket eval get_size='echo 3G' pread='head -c $3 /dev/zero' extents='
	[ $4 = 0 ] || { echo EIO broken >&2; exit 1; }
	echo 0 2G hole'
run "$nbdboot" info --map "$sock"
expect 1 'block status of 1073741824 bytes at 2147483648: ' \
	'an error of block status is reported with its offset'
same_text "0 2147483648 hole
" 'and the map up to there'
run "$nbdboot" info --map --json "$sock"
same_text '[
  {"start": 0, "length": 2147483648, "type": "hole"}
]
' 'as JSON, too'
expect 1 'block status of 1073741824 bytes' 'with the same status'
on_socket --filter=error memory 1M error-pread=EIO error-pread-rate=100%
run "$nbdboot" info --latency "$sock"
expect 1 'read of 4096 bytes at 0: ' 'an error of a read is reported too'
expect 1 'Contexts:    base:allocation' 'after a description that is whole'
run "$nbdboot" info "$sock"
expect 0 'Content:     not known' 'and no failure of a description'
expect 0 'content: read of 65536 bytes at 0: ' 'which says so'

on_socket --filter=exitlast memory 1M
run "$nbdboot" info "$sock"
expect 0 'Contexts:    base:allocation' 'a server that ends with its last client'

on_socket -o memory 1M
run "$nbdboot" info "$sock"
expect 1 'oldstyle' 'an oldstyle server is refused by name'
# the first option is one for replies: without it the next one ends alike
printf 'alice:%064d\n' 1 >"$work/psk"
on_socket --tls=require --tls-psk="$work/psk" memory 1M
run "$nbdboot" info "nbd+unix:///?socket=$sock"
expect 1 'requires TLS (use nbds' 'info: what a server that wants TLS needs'
run "$nbdboot" copy --progress "nbd+unix:///?socket=$sock" "$work/copy"
expect 1 'requires TLS (use nbds' 'copy: what a server that wants TLS needs'
run "$nbdboot" info /nonexistent
expect 1 'there is no such socket' 'nobody is there'

run "$nbdboot" info
expect 2 'missing operand: URI, HOST or /SOCKET' 'no server'
run "$nbdboot" info --json --latency "$sock"
expect 2 '--latency is text' 'a histogram is not JSON'

finish
