#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot-lwip over bad networks and with servers that fail: whatever happens,
# what arrives is right, and an outage is a pause: faults.sh BUILD [FIRST LAST]
#
# Cases are numbered; a number makes the same case each time.  The server is
# behind a router.  BUILD has nbdboot-lwip and relay, and BUILD/jumbo has
# nbdboot-lwip for an MTU of 9000.
# shellcheck disable=SC2086,SC2154 # words on purpose; pick() sets
O=${1:-build}
first=${2:-1}
last=${3:-12}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
namespace
srv=$ns

# Bytes that can be checked anywhere without a file of their length.
head -c 8388608 /dev/urandom >"$work/image"

# pick NAME VALUE...: sets NAME to one of the values, by the number of the case
pick()
{
	pick_name=$1
	shift
	random=$(((random * 1103515245 + 12345) % 2147483648))
	shift $((random / 65536 % $#))
	eval "$pick_name=\$1"
}

# server NBDKIT-ARGUMENT...: behind the router.  Sets server.
#
# A connection has one thread: of several, nbdkit 1.32 aborts if one writes when
# another has found the connection reset (raw_send_socket: "sock >= 0").
server()
{
	nsenter -t "$srv" -n -m nbdkit -f -t 1 -i 10.20.0.1 --filter=rate "$@" \
		>"$work/server.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -t 10809 "$server" "$work/server.log"
}

stop_server()
{
	end_server "-${1:-KILL}" "$server"
}

# Something of a copy arrived, a check has begun, or the client has ended.
moved()
{
	until [ -s "$work/copy" ] || [ -s "$work/out" ] ||
		! kill -0 "$client" 2>/dev/null; do :; done
}

# event NAME: what happens while bytes move
event()
{
	case $1 in
	none | outage | long | lease) return ;;
	esac
	moved
	case $1 in
	reset)
		stop_server KILL
		server $plugin $rate
		;;
	close)
		stop_server TERM
		server $plugin $rate
		;;
	away)
		stop_server KILL
		sleep 1 # how long it is away
		server $plugin $rate
		;;
	freeze)
		kill -STOP "$server"
		sleep 1 # how long it is away
		kill -CONT "$server"
		;;
	router)
		at "$srv" ip link set tap0 address 02:aa:bb:cc:dd:ee
		at "$srv" ip neigh flush dev tap0
		;;
	esac
}

# one NUMBER
one()
{
	random=$(($1 * 7919))
	pick delay 0 0 500 2500 10000 20000 40000
	pick jitter 0 0 300
	pick loss 0 0 1000 5000 20000
	pick reorder 0 0 5000 50000
	pick twice 0 0 10000
	pick corrupt 0 0 1000
	pick mtu 576 1280 1500 1500 9000
	pick event none outage outage long reset close away freeze router
	pick command copy copy copy check
	pick depth 1 4 8 16
	pick links 1 1 3 4
	[ "$1" != "$lease_case" ] || event=lease
	size=8M kib=256 rate='' options='' address='-a 10.9.0.2/24,10.9.0.1'
	[ $((delay * loss)) -lt 10000000 ] || size=1M
	[ "$event" = none ] || {
		size=2M kib=64
		rate="rate=8M burstiness=0.2"
	}
	case $event in
	outage) options='-o 100-1100' ;;
	long) options='-o 100-17000' ;; # more than TCP's patience of 15 s
	lease)
		options='-L 60' address='' command=copy size=8M
		rate="rate=500K burstiness=1"
		;;
	esac
	# each of its steps takes a round trip or two
	plugin='memory 256K'
	if [ $command = copy ]; then
		head -c $size "$work/image" >"$work/want"
		plugin="file $work/want"
	fi
	at "$srv" ip link set tap0 mtu "$mtu"
	program=$O/nbdboot-lwip
	[ "$mtu" -le 1500 ] || program=$O/jumbo/nbdboot-lwip
	# shellcheck disable=SC2086 # words on purpose
	attempt
}

attempt()
{
	server $plugin $rate
	: >"$work/copy"
	: >"$work/out"
	set -- $command nbd://10.20.0.1
	[ $command = check ] || set -- "$@" "$work/copy"
	begin=$(date +%s)
	nsenter -t "$srv" -n -m timeout 900 "$O/relay" -s "$random" \
		-d "$delay" -j "$jitter" -l "$loss" -r "$reorder" \
		-u "$twice" -c "$corrupt" $options tap0 "$program" -f 3 \
		$address -C "$links" -q "$depth" -b "$kib" -T 10 -r "$random" \
		-t 200 -n 100 "$@" >"$work/out" 2>"$work/err" </dev/null &
	client=$!
	event "$event"
	status=0
	wait "$client" || status=$?
	stop_server KILL
	[ $command = check ] || cmp -s "$work/want" "$work/copy" || status=200
	sentence="case $number: $command by $links, $event, MTU $mtu"
	sentence="$sentence, delay $delay+$jitter us, of a million $loss lost, $reorder late, $twice"
	sentence="$sentence twice, $corrupt corrupt: $(($(date +%s) - begin)) s"
	if [ $status = 0 ]; then
		ok "$sentence"
	else
		not_ok "$sentence: status $status"
		show "$work/out"
		show "$work/err"
	fi
}

at "$srv" ip tuntap add tap0 mode tap
at "$srv" ip addr add 10.9.0.1/24 dev tap0
at "$srv" ip addr add 10.20.0.1/32 dev lo
at "$srv" ip link set tap0 up
dhcpd_on tap0 10.9.0.50 10.9.0.59
lease_case=${LEASE_CASE-}
number=$first
while [ "$number" -le "$last" ]; do
	one "$number"
	number=$((number + 1))
done
finish
