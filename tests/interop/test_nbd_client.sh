#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot by the name nbd-client, beside Debian's nbd-client: the exit status of
# each form that needs no device, and the output that scripts read.
# vm/test_nbd_client.sh has the others.
O=${1:-build}
. "${0%/*}/../tap.sh"
PATH=$PATH:/sbin:/usr/sbin
ln -s "$O/nbdboot" "$work/nbd-client"
ours=$work/nbd-client
theirs=$(command -v nbd-client) || die 'nbd-client is missing (make deps)'

# Both print the same on standard output, and end with the same status.
both()
{
	status=0
	"$theirs" "$@" >"$work/want" 2>/dev/null </dev/null || status=$?
	want=$status
	run "$ours" "$@"
	if [ "$status" = "$want" ] && cmp -s "$work/want" "$work/out"; then
		ok "like nbd-client: ${*:-no words}"
	else
		not_ok "like nbd-client: ${*:-no words}: $status, not $want"
		diff "$work/want" "$work/out" | sed 's/^/# /'
		show "$work/err"
	fi
}

# alike STATUS WORDS: only the status of both is the same
alike()
{
	want=$1
	shift
	status=0
	"$theirs" "$@" >/dev/null 2>&1 </dev/null || status=$?
	if [ "$status" != "$want" ]; then
		not_ok "nbd-client itself ends with $want, not $status: $*"
		return
	fi
	run "$ours" "$@"
	expect "$want" '' "status $want like nbd-client: ${*:-no words}"
}

# ---- no server ----

both
both -c /dev/nbd0
both -check nbd99
both -c nonsense
both -c /dev/nbd99p1
both -d nonsense
both -d /dev/nbd99
both foo=3 host
both host 1 nbd0 more
both -zz host
both -b 100 host nbd0
both -N x
both nbd77
alike 0 -h
alike 0 -help
alike 0 --help
alike 0 -V
alike 0 -version

run "$ours" -V
expect 0 'This is nbd-client, from nbdboot ' 'the version is in the same words'
# blktests asks for the options by this
run "$ours" --help
expect 0 '-L, --nonetlink' 'the help has its options'
run "$O/nbdboot" nbd-client -V
expect 0 'This is nbd-client' 'nbd-client is also a command'
run "$O/nbdboot" help nbd-client
# shellcheck disable=SC2016 # for eval
check 'and its help has its own exit status' eval \
	'! grep -q "wrong usage" "$work/out" && grep -q "2: failed" "$work/out"'
run "$ours" -S host nbd0
expect 1 'Linux has no Sockets Direct Protocol' '-sdp is refused with a reason'
run "$ours" -P -B 4096 host nbd0
expect 1 'without a negotiation' '-preinit is refused with a reason'

# -n and -p, which name and port are for `nbdboot connect`, are others here
run "$ours" -p nbd://host/x 2000 nbd0
expect 1 'a URI has its own port (give none beside it)' \
	'a port beside a URI is named, and no option'
run "$ours" -N x nbd://host/x nbd0
expect 1 'a URI has its own export name (give none beside it)' \
	'so is a name'

# ---- the list of exports ----

serve 0 eval get_size='echo 1M' list_exports='
	printf "INTERLEAVED\nroot\nthe system\nhome\n\n"'
# nbd-client ends its lines with an empty one
"$theirs" -l 127.0.0.1 "$port" | grep . >"$work/want"
run "$ours" -l 127.0.0.1 "$port"
if [ "$status" = 0 ] && grep -qx 'root: the system' "$work/out" &&
	cmp -s "$work/want" "$work/out"; then
	ok 'the list is that of nbd-client, with descriptions'
else
	not_ok 'the list is that of nbd-client, with descriptions'
	diff "$work/want" "$work/out" | sed 's/^/# /'
fi
for form in "-list 127.0.0.1 $port" "127.0.0.1 $port -l" \
	"-l nbd://127.0.0.1:$port"; do
	# shellcheck disable=SC2086 # words on purpose
	run "$ours" $form
	expect 0 'root: the system' "also with $form"
done
serve_at -U "$work/sock" memory 1M
run "$ours" -l -unix "$work/sock"
expect 0 Negotiation 'the list of a server on a UNIX socket'
unserve

printf '%s\n' '[generic]' "port = $port" 'listenaddr = 127.0.0.1' \
	'[a]' "exportname = $0" 'readonly = true' >"$work/conf"
port=$(free_port)
sed -i "s/^port.*/port = $port/" "$work/conf"
nbd_server_at "$port" "$work/conf"
alike 1 -l 127.0.0.1 "$port"
run "$ours" -l 127.0.0.1 "$port"
expect 1 'the server forbids it' 'a server that allows no list is named'

# ---- nbdtab ----

# with_table TEXT WORDS: runs with that file as /etc/nbdtab
with_table()
{
	printf '%s\n' "$1" >"$work/nbdtab"
	shift
	# shellcheck disable=SC2016 # for the inner shell
	run unshare -m sh -c 'mount --bind "$0" /etc/nbdtab && exec "$@"' \
		"$work/nbdtab" "$@"
}

if [ "$(id -u)" = 0 ] && [ -e /etc/nbdtab ]; then
	with_table 'nbd3 host x' "$ours" nbd7
	expect 1 'no line for nbd7' 'a device that nbdtab lacks'
	with_table 'nbd7 host' "$ours" nbd7
	expect 1 'line 1: not "DEVICE HOST EXPORT' 'a line that is too short'
	with_table 'nbd7 host x bs=3' "$ours" /dev/nbd7
	expect 1 'bs: 3 is not a number' 'a wrong option in nbdtab'
	with_table "$(head -c 70000 /dev/zero | tr '\0' '#')" "$ours" nbd7
	expect 1 'nbdtab is longer than 65534 bytes' 'an nbdtab that is too long'
	check 'is no fault of a server' [ "$(grep -c server "$work/err")" = 0 ]
	with_table 'nbd7 host x preinit,what' "$ours" nbd7
	expect 1 '-preinit' 'an option of nbdtab that is refused'
	expect 1 'nbdtab: unknown option what' 'an unknown one is reported'
else
	ok 'the lines of nbdtab # SKIP only root can put one there'
fi

finish
