#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# parse-root, with a shell that evaluates its lines.
# shellcheck disable=SC2154 # root_*: from eval
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot

# same GOT WANT SENTENCE
same()
{
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3"
		echo "# got $1, wanted $2"
	fi
}

# lines ARGUMENT...: evaluates the lines that parse-root prints for them
lines()
{
	run "$nbdboot" parse-root "$@"
	if [ "$status" != 0 ]; then
		not_ok "parse-root $*"
		show "$work/err"
		return
	fi
	if grep -qv "^root_[a-z0-9_]*='.*'\$" "$work/out"; then
		not_ok 'each line is KEY=VALUE'
		show "$work/out"
	fi
	eval "$(cat "$work/out")"
}

lines root=nbd:srv:x:ext4:noatime:bs=4096,-persist rw
same "$root_uri $root_fstype $root_options $root_block_size $root_persist" \
	'nbd://srv/x ext4 noatime 4096 1' 'the fields of a root= of dracut'
same "$root_part$root_device$root_read_only$root_from_dhcp" '' \
	'what was not given is there, and empty'

lines root=nbd://srv/x nbdboot.overlay=size=1g nbdboot.swap nbdboot.io-timeout=9
same "$root_overlay $root_swap $root_io_timeout" '1 1 9' \
	'words of nbdboot that are about the root'
for word in '' =1 =yes =tmpfs =size=1g; do
	lines root=nbd://srv/x nbdboot.overlay=no "nbdboot.overlay$word"
	same "$root_overlay" 1 "nbdboot.overlay$word is an overlay"
done
for word in 0 no off false; do
	lines root=nbd://srv/x nbdboot.overlay "nbdboot.overlay=$word"
	same "$root_overlay" '' "nbdboot.overlay=$word is none"
done
lines root=nbd:srv:x:::timeout=8 nbdboot.io-timeout=9
same "$root_overlay $root_swap $root_io_timeout" '  9' \
	'of two time-outs that of nbdboot'

lines 'ro root=/dev/nbd1p2  nbdroot=srv,export quiet'
same "$root_uri $root_device $root_part $root_fstype" \
	'nbd://srv/export 1 2 ' 'a whole command line in one word'

same "$root_ip" '' 'no address'
lines 'root=nbd://srv/x ip=192.0.2.5:::255.255.255.0:::off'
same "$root_ip" '192.0.2.5:::255.255.255.0:::off' 'an address'
same "$root_bootif" '' 'no card'
lines 'root=nbd://srv/x BOOTIF=01-1 BOOTIF="01-52-54-00-12-34-56"'
same "$root_bootif" 01-52-54-00-12-34-56 'a card, which is the last one'

lines nbd://a/x,nbd://b/x
same "$root_uri $root_uri2" 'nbd://a/x nbd://b/x' 'a URI alone, two servers'

lines -r 'nbdroot=srv,x,nbd0' -s 10.0.0.1 root=dhcp
same "$root_uri $root_device $root_from_dhcp" 'nbd://srv/x 0 1' \
	'a root-path of DHCP'
lines root=dhcp
same "$root_uri$root_from_dhcp" 1 'without one there is no server yet'

lines -m 52:54:00:00:00:01 'root=nbd://srv/%m-%h'
same "$root_uri" "nbd://srv/52:54:00:00:00:01-$(uname -n)" \
	'a name with the address and the name of the host'

evil="a'b\$(touch $work/evil);\`touch $work/evil\`\\'"
lines "rootflags=\"$evil\"" root=nbd:srv:x
same "$root_options" "$evil" 'no shell sees anything in a value'
# shellcheck disable=SC2016 # likewise
lines 'root=nbd:srv:x:$HOME:$(id)'
same "$root_fstype $root_options" "\$HOME \$(id)" 'nor in a field'
# Whatever DHCP, the firmware or a card says, for each shell: refused, or quoted.
for text in "$evil" "a\\0047;touch $work/evil;\\0047" "a
touch $work/evil" "a';touch $work/evil
#" "'\$(touch $work/evil)'"; do
	for option in "-r$text" "-rnbd:h:x::$text" "-rnbd://h/$text" "-s$text" \
		"-m$text" "-rnbd://h/x?tls-psk-file=$text"; do
		for shell in dash 'busybox sh' bash; do
			"$nbdboot" parse-root "$option" nbdroot=dhcp,%m \
				"ip=\"$text\"" "BOOTIF=\"$text\"" \
				>"$work/out" 2>/dev/null || :
			$shell "$work/out" >/dev/null 2>&1 || :
		done
	done
done
if [ -e "$work/evil" ]; then
	not_ok 'nothing of it was run'
else
	ok 'nothing of it was run'
fi

run "$nbdboot" parse-root -r nbd:evil:x nbdboot.tls=require root=dhcp
if [ "$status" != 0 ] && grep -q 'nbd:evil:x: nbdboot.tls=require' "$work/err"
then
	ok 'nbdboot.tls=require forbids a root-path without TLS'
else
	not_ok 'nbdboot.tls=require forbids a root-path without TLS'
	show "$work/err"
fi

finish
