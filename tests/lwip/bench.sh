#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same copy by the system's sockets and by lwIP, in turns, over a relay that
# delays and drops frames: bench.sh BUILD [ROUNDS]
#
# BUILD has relay and, for each window in KiB, lwip-WINDOW/nbdboot-lwip.  The
# sockets have the system's own window, which grows to 3 MiB, and each of those.
# Linux makes 2 of 3 bytes of a receive buffer a window here: the server's
# snd_wnd was 62, 508 and 2038 KiB for the buffers below, by ss.
O=$(realpath "${1:-build}") # a namespace has another directory
rounds=${2:-3}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
windows='64 512 2048'
sizes='2 8 32 128'
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
rmem=$(at "$cli" sysctl -n net.ipv4.tcp_rmem)
for mb in $sizes; do
	nsenter -t "$srv" -n -m nbdkit -f -p $((11000 + mb)) memory "${mb}M" \
		>"$work/nbdkit.log" 2>&1 </dev/null &
	servers="$servers $!"
	listens -t $((11000 + mb)) $! "$work/nbdkit.log"
done

# pick_size DELAY-US LOSS WINDOW: sets mb, for about 3 s at 60 MB/s, the window
# in each round trip, or what loss leaves (Mathis)
pick_size()
{
	mb=$(awk -v d="$1" -v p="$2" -v w="$3" -v sizes="$sizes" 'BEGIN {
		rtt = d * 2 / 1e6 + 2e-4
		rate = 60e6
		if (w * 1024 / rtt < rate)
			rate = w * 1024 / rtt
		if (p && 1.2 * 1460 / rtt / sqrt(p / 1e6) < rate)
			rate = 1.2 * 1460 / rtt / sqrt(p / 1e6)
		n = split(sizes, s)
		for (i = n; i > 1 && s[i] * 1e6 > 3 * rate; i--)
			;
		print s[i] }')
}

# speed COMMAND...: of a copy, in MB/s
speed()
{
	"$@" >"$work/speed"
	awk '{ printf "%.2f\n", $1 / 1000 / $4 }' "$work/speed"
	awk '{ print $6 }' "$work/speed" >>"$work/reconnects"
}

# sockets DELAY-US LOSS WINDOW: through a relay with two taps; window 0 is the
# system's own
sockets()
{
	if [ "$3" = 0 ]; then
		at "$cli" sysctl -q -w net.ipv4.tcp_rmem="$rmem"
	else
		at "$cli" sysctl -q -w "net.ipv4.tcp_rmem=4096 \
			$(($3 * 1536)) $(($3 * 1536))"
	fi
	nsenter -t "$srv" -n "$O/relay" -d "$1" -l "$2" -t tap0 -n "$cli" \
		tap1 &
	relay=$!
	until at "$cli" ip -br link show tap0 | grep -q LOWER_UP; do :; done
	speed at "$cli" "$any" -s copy "nbd://10.9.1.1:$((11000 + mb))" \
		/dev/null
	kill "$relay"
	wait "$relay" 2>/dev/null || true
}

# lwip DELAY-US LOSS WINDOW
lwip()
{
	speed at "$srv" "$O/relay" -d "$1" -l "$2" tap0 \
		"$O/lwip-$3/nbdboot-lwip" -f 3 -a 10.9.0.2/24 copy \
		"nbd://10.9.0.1:$((11000 + mb))" /dev/null
}

median()
{
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# ratio FILE FILE
ratio()
{
	echo "$(median "$1") $(median "$2")" | awk '{ printf "%.2f", $1 / $2 }'
}

echo "# copies of 2 to 128 MiB in requests of 256 KiB, 8 in flight, MB/s, medians"
echo "# of $rounds; one relay process passes every frame of both; lwIP's share is"
echo "# that of the sockets with the same window"
printf '# %6s %6s %8s' 'RTT ms' 'loss %' sockets
for w in $windows; do
	printf ' | %8s %8s %5s' "sock ${w}K" "lwIP" share
done
echo
for delay in ${DELAYS:-0 500 2500 10000 40000}; do
	for loss in 0 1000 20000; do
		round=0
		while [ $((round += 1)) -le "$rounds" ]; do
			pick_size "$delay" "$loss" 2048
			sockets "$delay" "$loss" 0 >>"$work/sockets0"
			for w in $windows; do
				pick_size "$delay" "$loss" "$w"
				sockets "$delay" "$loss" "$w" >>"$work/sockets$w"
				lwip "$delay" "$loss" "$w" >>"$work/lwip$w"
			done
		done
		printf '# %6s %6s %8s' "$(echo "$delay" |
			awk '{ print $1 / 500 }')" \
			"$(echo $loss | awk '{ print $1 / 10000 }')" \
			"$(median "$work/sockets0")"
		for w in $windows; do
			printf ' | %8s %8s %5s' "$(median "$work/sockets$w")" \
				"$(median "$work/lwip$w")" \
				"$(ratio "$work/lwip$w" "$work/sockets$w")"
		done
		echo
		[ "$delay$loss" != 00 ] || zero=$(ratio "$work/lwip512" \
			"$work/sockets0")
		[ "$delay$loss" != 100000 ] || twenty=$(ratio "$work/lwip512" \
			"$work/sockets512")
		rm -f "$work"/sockets* "$work"/lwip*
	done
done
echo "# lwIP with 512 KiB: at 0 ms ${zero-?} of the system's sockets (wanted 0.35)," \
	"at 20 ms ${twenty-?} with the same window (wanted 0.8)"
echo "# $(wc -l <"$work/reconnects") copies," \
	"$(awk '{ n += $1 } END { print n + 0 }' "$work/reconnects")" \
	'connections lost in them'
