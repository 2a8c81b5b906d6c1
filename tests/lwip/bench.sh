#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same copy by the system's sockets and by lwIP, in turns, over a relay that
# delays and drops frames: bench.sh BUILD [ROUNDS]
#
# BUILD has relay and, for each window in KiB, lwip-WINDOW/nbdboot-lwip.
O=${1:-build}
rounds=${2:-3}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
windows='64 512 2048'
mb=64
any=$O/lwip-512/nbdboot-lwip

namespace
srv=$ns
namespace
cli=$ns
for tap in tap0 tap1; do
	at "$srv" ip tuntap add $tap mode tap
	at "$srv" ip link set $tap up
done
at "$srv" ip addr add 10.9.0.1/24 dev tap0
at "$srv" ip addr add 10.9.1.1/24 dev tap1
at "$cli" ip tuntap add tap0 mode tap
at "$cli" ip addr add 10.9.1.2/24 dev tap0
at "$cli" ip link set tap0 up
srv=$srv nbdkit_at 0.0.0.0 memory ${mb}M

# speed COMMAND...: of a copy, in MB/s
speed()
{
	"$@" | awk '{ printf "%.1f\n", $1 / 1000 / $4 }'
}

# sockets DELAY-US LOSS: through a relay with two taps
sockets()
{
	nsenter -t "$srv" -n "$O/relay" -d "$1" -l "$2" -t tap0 -n "$cli" \
		tap1 &
	relay=$!
	until at "$cli" ip -br link show tap0 | grep -q LOWER_UP; do :; done
	speed at "$cli" "$any" -s copy nbd://10.9.1.1 /dev/null
	kill "$relay"
	wait "$relay" 2>/dev/null || true
}

# lwip DELAY-US LOSS WINDOW
lwip()
{
	speed at "$srv" "$O/relay" -d "$1" -l "$2" tap0 \
		"$O/lwip-$3/nbdboot-lwip" -f 3 -a 10.9.0.2/24 copy \
		nbd://10.9.0.1 /dev/null
}

median()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

echo "# $mb MiB in requests of 256 KiB, 8 in flight, MB/s, medians of $rounds;"
echo "# one relay process passes every frame of both"
printf '# %8s %7s %9s' 'RTT ms' 'loss %' sockets
for w in $windows; do
	printf ' %9s' "lwIP ${w}K"
done
printf ' %9s\n' '512K/sock'
for delay in 0 500 2500 10000 40000; do
	for loss in 0 1000 20000; do
		round=0
		while [ $((round += 1)) -le "$rounds" ]; do
			sockets $delay $loss >>"$work/sockets"
			for w in $windows; do
				lwip $delay $loss "$w" >>"$work/lwip$w"
			done
		done
		printf '# %8s %7s %9s' "$(echo "$delay" |
			awk '{ print $1 / 500 }')" \
			"$(echo $loss | awk '{ print $1 / 10000 }')" \
			"$(median "$work/sockets")"
		for w in $windows; do
			printf ' %9s' "$(median "$work/lwip$w")"
		done
		printf ' %9s\n' "$(echo "$(median "$work/lwip512")" \
			"$(median "$work/sockets")" |
			awk '{ printf "%.2f", $1 / $2 }')"
		rm -f "$work/sockets" "$work"/lwip*
	done
done
