# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# What test_reconnect.sh checks, read by guest.sh in the machine: the servers
# are in it, too, so that they can be killed and come back.

# libcrc32c asks for it by a name that no dependency has
modprobe crc32c_generic
modprobe nf_tables
ip link set lo up
# Where servers are: it can be taken away.
address=192.0.2.1
ip addr add $address/32 dev lo
size=$((64 * 1048576))
rounds=$(word rounds)
outage=$(word outage)
# s, of the device under test
timeout=2
truncate -s $size /tmp/disk

# server [NBDKIT-ARGUMENT...]: starts one, and waits until it listens.
server()
{
	[ -e /tmp/pid ] || mkfifo /tmp/pid
	nbdkit -i $address -P /tmp/pid $with_tls "$@" >>/tmp/server.log 2>&1
	read -r server </tmp/pid
}

file_server()
{
	server -p 10809 file /tmp/disk
}

# pause MIN MAX: so many ms, by chance.
pause()
{
	sleep "$(awk -v min="$1" -v max="$2" \
		-v seed="$(od -An -N4 -tu4 /dev/urandom)" 'BEGIN {
		srand(seed)
		printf "%.3f", (min + rand() * (max - min)) / 1000
	}')"
}

now_ms()
{
	awk '{ printf "%d", $1 * 1000 }' /proc/uptime
}

# field NAME [DEVICE]: a number of list --json
field()
{
	nbdboot list --json "${2:-nbd0}" |
		sed -n "s/.*\"$1\": \"*\([a-z0-9]*\).*/\1/p"
}

live()
{
	same "$(field live)" "$1"
}

# await COMMAND...: until it succeeds; the machine's own limit ends it.
await()
{
	until "$@" >/dev/null 2>&1; do
		sleep 0.1
	done
}

# said TEXT: the watcher's latest words in the kernel's log have it.
said()
{
	dmesg | grep 'nbdboot: nbd0' | tail -n 1 | grep -q "$1"
}

# ---- fio in the background, which verifies what it wrote ----

verify_start()
{
	fio --name=verify --filename=/dev/nbd0 --direct=1 --rw=randrw \
		--bs=4k --iodepth=8 --ioengine=libaio --size=32M \
		--verify=crc32c --verify_fatal=1 --verify_backlog=64 \
		--allow_file_create=0 --thread --time_based --runtime=86400 \
		--output-format=json --output=/tmp/fio.json >/tmp/fio.log 2>&1 &
	fio=$!
	worst=0
}

# So many requests were answered so far.
answered()
{
	awk '{ print $1 + $5 }' /sys/block/nbd0/stat
}

more_than()
{
	[ "$(answered)" -gt "$1" ]
}

# I/O goes on: more requests than were in flight are answered.
flows()
{
	await more_than $(($(answered) + 100))
}

# Ends it; fails if it had an error or a mismatch, or had ended before, or if
# a request took longer than the worst outage, the time-out and a second.
verify_end()
{
	kill -INT $fio || return
	wait $fio
	status=$?
	errors=$(sed -n 's/^ *"error" : \([0-9]*\),*/\1/p' /tmp/fio.json)
	longest=$(awk '/"lat_ns"/ { on = 1 } on && /"max"/ {
		gsub(/[^0-9]/, ""); if ($0 + 0 > max) max = $0 + 0; on = 0
	} END { printf "%d", max / 1000000 }' /tmp/fio.json)
	echo "longest outage $worst ms, longest pause $longest ms"
	# 128 is how fio ends when it is interrupted
	if [ "$errors" != 0 ] || [ $status != 128 ]; then
		echo "status $status, error $errors"
		cat /tmp/fio.log
		return 1
	fi
	[ $longest -le $((worst + timeout * 1000 + 1000)) ]
}

verified()
{
	sentence=$1
	check "$sentence" verify_end
	sed 's/^/# /' out
}

# ---- outages: each one goes to /tmp/begin, then to its end ----

begin()
{
	began=$(now_ms)
}

# The server can be reached again: how long was it?
end()
{
	took=$(($(now_ms) - began))
	[ $took -le $worst ] || worst=$took
}

killed()
{
	begin
	kill -9 $server
	pause 0 1500
	file_server
	end
}

frozen()
{
	begin
	kill -STOP $server
	pause 3000 3500
	kill -CONT $server
	end
}

# cut RULE...: packets of the server's port that match are dropped, for as
# long as the driver takes to notice, and a little more.
cut()
{
	begin
	nft add table ip t
	nft add chain ip t c '{ type filter hook input priority 0; }'
	for rule; do
		nft add rule ip t c tcp $rule drop
	done
	pause 3000 3500
	nft delete table ip t
	end
}

one_connection()
{
	cut "dport $(nbdboot status nbd0 |
		sed -n '2s/.* from port \([0-9]*\),.*/\1/p')"
}

address_gone()
{
	begin
	ip addr del $address/32 dev lo
	pause ${outage}000 ${outage}100
	ip addr add $address/32 dev lo
	end
}

# nbdkit 1.32 may fail an assertion of its own when it finds that its clients
# have left: then it is a server that crashed, and comes back.
recovered()
{
	if ! kill -0 $server; then
		file_server
		end
	fi
	live $connections
}

# outage SENTENCE TIMES COMMAND...: while fio verifies.
outage()
{
	sentence=$1 times=$2
	shift 2
	verify_start
	i=0
	while [ $i -lt $times ]; do
		flows
		pause 0 300
		"$@"
		await recovered
		i=$((i + 1))
	done
	flows
	verified "$sentence, $times times"
}

watch_start()
{
	[ -p ready ] || mkfifo ready
	nbdboot watch nbd0 &
	watch=$!
	# it takes over, and becomes ready, before anything else is done
	await watch_has_name
}

watch_has_name()
{
	grep -q '@nbdboot/watch/nbd0' /proc/net/unix
}

# ---- the same for each kind ----

all_outages()
{
	kind=$1 connections=$2 uri=$3
	file_server
	check "$kind: connect" nbdboot connect -t $timeout -c $connections \
		-m 4 -d nbd0 $keys "$uri"
	watch_start
	outage "$kind: the server is killed" $rounds killed
	outage "$kind: the server is frozen" 1 frozen
	outage "$kind: the link is cut both ways" 1 cut 'sport 10809' \
		'dport 10809'
	outage "$kind: the link is cut one way" 1 cut 'sport 10809'
	outage "$kind: one connection is cut" 1 one_connection
	outage "$kind: the address is gone for $outage s" 1 address_gone
	check "$kind: the watcher still lives" kill -0 $watch
	echo "# watcher: $(awk '/^Rss/ { r = $2 } /^Locked/ { l = $2 }
		END { print r " KiB resident, " l " KiB locked" }' \
		/proc/$watch/smaps_rollup)"
	check "$kind: it is at most $4 KiB" awk -v max=$4 \
		'/^Rss/ && $2 > max { exit 1 }' /proc/$watch/smaps_rollup
	kill -9 $server
	check "$kind: disconnect" nbdboot disconnect nbd0
	# it ends by itself
	wait $watch
	check "$kind: the watcher ends with the device" test $? = 0
}

with_tls='' keys=''
all_outages 'plain, 1 connection' 1 nbd://$address/ 700
all_outages 'plain, 4 connections' 4 nbd://$address/ 700
if [ -d /tls ]; then
	with_tls='--tls=require --tls-certificates=/tls'
	keys='-A /tls/ca-cert.pem'
	all_outages 'TLS, 1 connection' 1 nbds://$address/ 700
	all_outages 'TLS, 4 connections' 4 nbds://$address/ 700
fi
with_tls='' keys=''
