#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each kind of bad input has its own message and status, and none hangs.
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot

# bad STATUS TEXT SENTENCE ARGUMENT...
bad()
{
	want=$1 text=$2 sentence=$3
	shift 3
	run "$nbdboot" "$@"
	expect "$want" "$text" "$sentence"
}

bad 2 'missing command' 'no command at all'
bad 2 "unknown command frobnicate (see \`nbdboot help\`)" 'an unknown command' \
	frobnicate
bad 2 'unknown command conect (did you mean connect?)' 'a near miss' conect
bad 2 'unknown command boot (did you mean boot-time?)' 'a beginning' boot
bad 2 'unknown command ls (see' 'a word that is near nothing' ls
bad 2 "unknown command -l (\`nbdboot nbd-client -l\` takes the options of nbd-client)" \
	'an option of nbd-client' -l 127.0.0.1
bad 2 'help: unknown command reorot (did you mean reroot?)' \
	'a near miss for help' help reorot
bad 2 'connect: unknown option --conections (did you mean --connections?)' \
	'a near miss of an option' connect --conections 2 host
for c in --help -h; do
	bad 0 'usage: nbdboot COMMAND' "$c alone" "$c"
done
bad 0 'nbdboot ' '--version alone' --version
bad 2 'unknown option -x' 'an unknown option' connect -x host
bad 2 'unknown option --xyz' 'an unknown long option' list --xyz
bad 2 'option -c needs a value' 'an option without its value' connect -c
bad 2 'option --json takes no value' 'a value that does not belong' \
	list --json=1
bad 2 '0 is not a number from 1 to' 'no connections' connect -c 0 host
bad 2 'x is not a number' 'a count that is no number' connect -c x host
bad 2 '1x is not a number' 'a count with a tail' connect -c 1x host
bad 2 '99999999999999999999 is not' 'a count that overflows' \
	connect -c 99999999999999999999 host
bad 2 'connect: missing operand: URI, HOST or /SOCKET (see' 'no host' connect
bad 2 'copy: missing operand: DST (see' 'no destination' copy /dev/null
bad 2 'exports: extra operand "two" (see' 'two hosts' exports one two
bad 2 'ifup: extra operand "x" (see' 'a word beside --renew' ifup --renew x
bad 2 'image: maybe is not good, bad or forget' 'an unknown verb' image maybe
echo list >"$work/list"
bad 2 'prefetch: extra operand "b"' 'a list for two images' \
	prefetch append "$work/list" a b
bad 2 'prefetch: extra operand "nbd0"' 'a boot that ends as a whole' \
	prefetch stop nbd0
bad 1 "$work/list: line 1 of the list is wrong, or too many" \
	'a list that is none' prefetch show "$work/list"
check 'is no wrong usage, and has no advice for one' \
	[ "$(grep -c help "$work/err")" = 0 ]
printf 'nbdboot-prefetch 1\nimage 8 -\n0 8\nend 1\n' >"$work/list"
bad 1 '/none: No such file' 'an image that is not there' \
	prefetch check "$work/list" /none
check 'is no device of nbd' [ "$(grep -c "nbdboot list" "$work/err")" = 0 ]

# ---- prefetch save, to a file system without room ----

# of two pages, in the place of one
{
	printf 'nbdboot-prefetch 1\nimage 100000 -\n'
	seq -f '%.0f 8' 0 104 72800
	echo 'end 701'
} >"$work/long"
# shellcheck disable=SC2016 # for the inner shell
run unshare -m sh -c 'mount -t tmpfs run /run && mkdir /run/nbdboot /run/full &&
	cp "$1" /run/nbdboot/prefetch && mount -t tmpfs -o size=16k full /run/full &&
	echo before >/run/full/list && head -c 12288 /dev/zero >/run/full/other &&
	"$0" prefetch save /run/full/list
	echo "status $?" $(cat /run/full/list) && ls -C /run/full &&
	rm /run/full/other && "$0" prefetch save /run/full/list &&
	cmp "$1" /run/full/list && ls -C /run/full &&
	"$0" prefetch save /dev/stdout | cat' "$nbdboot" "$work/long"
expect 0 'write /run/full/list: No space left' 'a list that has no room'
check 'leaves the one before' grep -q '^status 1 before$' "$work/out"
check 'and nothing else' [ "$(grep -c '^list *other$' "$work/out")" = 1 ]
check 'with room it takes its place' [ "$(grep -c '^list$' "$work/out")" = 1 ]
check 'a pipe stays one' grep -q 'nbdboot-prefetch 1' "$work/out"
bad 2 'nbd0: not /dev/NAME, PARTUUID=' 'a cache on a device of a server' cache nbd0
bad 1 'there is no /dev/none' 'a cache that is not there' cache /dev/none
bad 1 'open /dev/tty: ' 'a device that cannot be read' cache /dev/tty
check 'which is none of nbd' [ "$(grep -c "nbdboot list" "$work/err")" = 0 ]
bad 1 'LABEL=none names no device' 'nor one of that name' cache PARTLABEL=none
bad 2 'scale: missing option: -c N (see' 'no count' scale nbd0
bad 2 'reroot: missing operand: URI or local:DEVICE' 'no root' reroot
bad 2 'reroot: -c: 0 is not a number' 'no connection at all' \
	reroot -c 0 nbd://127.0.0.1/
bad 2 'neither nbd://HOST' 'a root that is no URI' reroot /dev/sda1
bad 2 'need --kexec' 'a kernel for a reroot that keeps its own' \
	reroot --kernel=/vmlinuz nbd://127.0.0.1/
for c in 'list -j' 'exports -j' 'info -j' 'info -m' 'info -l' 'copy -z' \
	'copy -p' 'copy -v' 'copy -l' 'boot-time -c' 'connect -w'; do
	bad 2 "unknown option ${c#* }" "no short option that help does not show: $c" \
		"${c% *}" "${c#* }"
done
bad 2 'not a number from 1 to 65535' 'port 0' exports -p 0 host
bad 2 'not a number from 1 to 65535' 'port 65536' exports -p 65536 host
bad 2 'a URI has its own port' 'a URI and -p' exports -p 1 nbd://h
bad 2 'a URI has its own export name' 'a URI and -n' connect -n x nbd://h
bad 2 'is not the name of an nbd device' 'a device that is none' \
	connect -d sda host
for dev in nbd0 /dev/nbd12; do
	bad 2 "a device, not a server (for a device: -d $dev)" \
		"a device for a second server: $dev" \
		connect nbd://127.0.0.1/ "$dev"
done
bad 2 'is not the name of an nbd device' 'a device with a tail' \
	disconnect nbd0x
bad 2 'at "%zz"' 'a URI with a broken escape' exports nbd://h/%zz
bad 2 'at "' 'a URI with an unknown key' exports 'nbd://h/?frob=1'
bad 2 'at "' 'a URI with a port that is none' exports nbd://h:99999/
bad 2 'at "' 'a UNIX URI without socket' exports nbd+unix:///x
bad 2 'longer than' 'a URI of 100 KiB' exports \
	"nbd://h/$(head -c 100000 /dev/zero | tr '\0' x)"
bad 2 'no host or path of 1 to 255 bytes' 'a word that is longer' exports \
	"/$(head -c 255 /dev/zero | tr '\0' x)"
bad 2 'longer than 107 bytes' 'a socket path that is too long' exports \
	"/$(head -c 200 /dev/zero | tr '\0' x)"
bad 2 'no host' 'an empty host' exports ''
for host in 127.0.0.1:10809 localhost:1 '[::1]:10809' cafe:1; do
	bad 2 "$host: not an IPv6 address (write a port as nbd:" \
		"a host with a port: $host" exports "$host"
done
for host in ::1 '[::1]' ::ffff:127.0.0.1 'fe80::1%lo'; do
	bad 1 ' port 1: ' "an IPv6 address: $host" exports -p 1 "$host"
done
bad 1 'no-such-host.invalid' 'a host that does not resolve' exports \
	nbd://no-such-host.invalid/
bad 1 'connect to /nonexistent: there is no such socket (check' \
	'a socket that is not there' exports /nonexistent
bad 1 'connect to /nonexistent: there is no such socket' 'the same for info' \
	info nbd+unix:///?socket=/nonexistent
bad 1 'connect to /nonexistent: there is no such socket' 'the same for copy' \
	copy nbd+unix:///?socket=/nonexistent "$work/copy"
for c in 'exports http://h/' 'connect http://h/' 'info http://h' \
	'copy http://h/x /nowhere/x' "copy /dev/null ssh://h/x"; do
	# shellcheck disable=SC2086 # words on purpose
	bad 2 ':// is not a scheme of NBD, whose URIs begin with nbd:// or' \
		"another protocol: $c" $c
done
bad 2 'ndb:// is not a scheme' 'a scheme that is mistyped' exports ndb://h/
bad 1 'nbd9999: no such device' 'a device that is not there' list nbd9999
bad 2 'name one device' 'names for udev without a device' list --udev
bad 2 'exclude each other' 'a list in two formats' list --json --metrics

bad 1 'nbd9999 is not connected' 'latency of a device that is not there' \
	latency nbd9999
bad 2 'not a number from 1 to' 'an interval of nothing' latency -i 0
bad 2 'missing operand: nbdN' 'tune without a device' tune
bad 2 'sda is not the name of an nbd device' 'tune of another disk' tune sda
[ -e /sys/block/nbd77 ] ||
	bad 1 'there is no nbd77' 'the settings of a device that is not there' \
		tune nbd77
bad 2 'frob=1 is no setting' 'a setting that is none' tune nbd0 frob=1

bad 2 'missing operand: STRING' 'parse-root without a word' parse-root
bad 2 'no server: root=nbd://HOST' 'words without a root' parse-root quiet ro
bad 2 'root=/dev/sda1: no server: root=nbd://HOST' 'a root on a disk' \
	parse-root root=/dev/sda1
bad 2 'iscsi: is no Network Block Device' 'a root-path that is iSCSI'"'"'s' \
	parse-root -r iscsi:srv::::iqn root=dhcp
bad 2 'root=nbd:a b:x: not a host name' 'a host with a blank' \
	parse-root 'root="nbd:a b:x"'
bad 0 'these words have no effect: netroot, -sdp' 'words without an effect are reported' \
	parse-root root=nbd:srv:x:::-sdp netroot=nbd:srv:y
bad 0 'these words have no effect: nbdboot.overaly' 'a misspelt word is reported' \
	parse-root root=nbd://srv/x nbdboot.overaly
bad 2 'control character' 'a root-path with an escape' parse-root \
	-r "$(printf 'nbd:srv:\033c')" root=dhcp
bad 2 'longer than 4095 bytes' 'too many words' parse-root \
	"$(head -c 5000 /dev/zero | tr '\0' x)"
bad 2 'longer than 4095 bytes' 'too many words for the network' ifup \
	"$(head -c 5000 /dev/zero | tr '\0' x)" ip=x:

# a port without a listener: it was in use until now
serve 0 memory 1M
unserve
until ! kill -0 "$server" 2>/dev/null; do :; done
bad 1 "connect to 127.0.0.1 port $port: connection refused" \
	'nobody listens' exports "nbd://127.0.0.1:$port"

# -c, of nbdboot, is to check in nbd-client
serve 0 eval get_size='echo 1M' can_multi_conn='exit 3' pread='exit 1'
bad 1 'several connections (ask for one, or allow multi-conn on the server)' \
	'more connections than a server allows' \
	copy -c 2 "nbd://127.0.0.1:$port" "$work/copy"

# a service that does not speak NBD
serve 0 memory 1M
free=$(free_port)
daemon_at "$free" socat "TCP-LISTEN:$free,bind=127.0.0.1,reuseaddr,fork" \
	SYSTEM:'echo SSH-2.0-OpenSSH_9.2p1'
bad 1 'not an NBD server' 'a service that is not NBD' exports -p "$free" 127.0.0.1

# a full disk behind standard output
if "$nbdboot" exports -p "$port" 127.0.0.1 >/dev/full 2>"$work/err"; then
	not_ok 'output that is lost is an error'
elif grep -q 'standard output' "$work/err"; then
	ok 'output that is lost is an error'
else
	not_ok 'output that is lost is an error'
fi

# control characters in an argument do not reach the terminal
run "$nbdboot" exports "$(printf 'a\033]0;x\007b')"
if LC_ALL=C tr -d '\n' <"$work/err" | LC_ALL=C grep -q '[[:cntrl:]]'; then
	not_ok 'words of the command line are escaped in messages'
else
	ok 'words of the command line are escaped in messages'
fi

for c in connect disconnect list exports info load unload switch-root init parse-root help \
	version; do
	bad 0 "nbdboot $c" "help $c" help $c
done
# each command has a line in a group, whose heading names its page
"$nbdboot" help | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].\{9,66\}$/\1/p' >"$work/listed"
if [ "$(wc -l <"$work/listed")" -gt 20 ] &&
	! "$nbdboot" help | grep -vE '^  [a-z]|^usage: nbdboot COMMAND |^$' |
	grep -vE '^       nbdboot help COMMAND|^[A-Z].*: nbdboot.*\([178]\)$' |
	grep -v '^Exit status: '; then
	ok 'help has a line for each command, in groups, with what it does'
else
	not_ok 'help has a line for each command, in groups, with what it does'
	"$nbdboot" help | sed 's/^/# /'
fi
wrong=''
while read -r c; do
	for option in --help -h; do
		run "$nbdboot" "$c" "$option"
		[ "$status" = 0 ] && grep -q "^\(nbdboot \)\{0,1\}$c" \
			"$work/out" && [ ! -s "$work/err" ] ||
			wrong="$wrong $c$option"
	done
	run "$nbdboot" "$c" --version
	[ "$status" = 0 ] && grep -q nbdboot "$work/out" ||
		wrong="$wrong $c--version"
done <"$work/listed"
check "each command takes --help, -h and --version:$wrong" [ ! "$wrong" ]
bad 2 "help: unknown command frob (see \`nbdboot help\`)" \
	'help for what is none' help frob

finish
