#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What connections, windows, slow start after idle and congestion control bring at
# a distance: one machine (storm.c) and nbdkit in two network namespaces, between
# them a link with a delay, a rate, a queue of 100 ms and a loss (relay.c).
#
#	DELAYS='0 1 5 20 80' RATES='10 100 1000' LOSSES='0 5000' ROUNDS=1 JOBS=6 \
#		link.sh BUILD
#
# DELAYS are round trips in ms, RATES Mbit/s, LOSSES frames of a million in each
# direction.  "fetch" are 8 MiB in 64 reads at once, as of nbdboot.prefetch, and
# "boot" the first 200 reads of a Debian (debian.reads), most of them one after the
# other, with their pauses.  A table of ms, the median of ROUNDS, and one of each
# setting's share of the time without it; SETTINGS= are some of them.
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"

storm=$O/t/bench/tests/bench/storm
relay=$O/relay
first=$work/boot.reads
head -n 200 "${0%/*}/debian.reads" >"$first"
for n in 1 2 4 8; do
	awk -v n=$((64 / n)) 'BEGIN {
		for (i = 0; i < n; i++)
			print i ? "-" : 0, i * 262144, 131072
	}' >"$work/fetch.$n"
done
truncate -s 4G "$work/image"

# settings, and what each sets: at the machine, at the server; and connections
settings=${SETTINGS:-2-connections 4-connections 8-connections initrwnd=40
	initcwnd=40 slow_start_after_idle=0 bbr}

# in_net PID COMMAND...
in_net()
{
	net=$1
	shift
	nsenter -t "$net" -n -m "$@"
}

# tune MACHINE SERVER SETTING: all others are as Debian has them.  Sets connections
tune()
{
	near=$1 far=$2 setting=$3
	connections=1 rwnd='' cwnd='' idle=1 control=cubic
	case $setting in
	as-it-is) ;;
	*-connections) connections=${setting%-*} ;;
	initrwnd=*) rwnd="initrwnd ${setting#*=}" ;;
	initcwnd=*) cwnd="initcwnd ${setting#*=}" ;;
	slow_start_after_idle=0) idle=0 ;;
	bbr) control=bbr ;;
	esac
	# shellcheck disable=SC2086 # words on purpose
	in_net "$near" ip route replace 192.0.2.0/24 dev tap0 $rwnd
	# shellcheck disable=SC2086 # words on purpose
	in_net "$far" ip route replace 192.0.2.0/24 dev tap0 $cwnd \
		congctl $control
	in_net "$far" sh -c "echo $idle \
		>/proc/sys/net/ipv4/tcp_slow_start_after_idle"
}

# replay MACHINE SERVER SETTING WORK: prints the ms
replay()
{
	tune "$1" "$2" "$3"
	case $4 in
	fetch) reads=$work/fetch.$connections ;;
	*) reads=$first ;;
	esac
	in_net "$1" chrt -r 1 "$storm" "$connections" "$reads" nbd://192.0.2.1/ \
		</dev/null 2>&1 | awk '/^failed/ { print; exit }
		NF == 3 && $1 > last { last = $1 }
		END { print last }' | tail -n 1
}

# measure NAME MACHINE SERVER: lines "NAME WORK SETTING MS"
measure()
{
	for setting in as-it-is $settings; do
		echo "$1 fetch $setting $(replay "$2" "$3" "$setting" fetch)"
		case $setting in
		*-connections) ;;
		*) echo "$1 boot $setting $(replay "$2" "$3" "$setting" boot)" ;;
		esac
	done
}

# link DELAY RATE LOSS: its namespaces, with a server; sets near and far
link()
{
	namespace
	far=$ns
	namespace
	near=$ns
	# what it does not take in time is lost
	nsenter -t "$far" -n chrt -r 2 "$relay" -d $(($1 * 500)) -b "$2" -l "$3" \
		-t tap0 -n "$near" tap0 &
	servers="$servers $!"
	for end in "$far" "$near"; do
		until in_net "$end" ip link set tap0 txqueuelen 16384 up \
			2>/dev/null; do :; done
		in_net "$end" sh -c 'cd /proc/sys/net/ipv4 &&
			echo 1 >tcp_no_metrics_save &&
			echo 4096 131072 6291456 >tcp_rmem &&
			echo 4096 16384 4194304 >tcp_wmem'
	done
	in_net "$far" ip addr add 192.0.2.1/24 dev tap0
	in_net "$near" ip addr add 192.0.2.2/24 dev tap0
	in_net "$far" chrt -r 1 nbdkit -f -r -t 16 file "$work/image" >/dev/null 2>&1 &
	servers="$servers $!"
	until in_net "$far" ss -Hltn | grep -q ':10809 '; do :; done
}

# all the links at once that JOBS allows
jobs=''
for delay in ${DELAYS:-0 1 5 20 80}; do
	for rate in ${RATES:-10 100 1000}; do
		for loss in ${LOSSES:-0 5000}; do
			link "$delay" "$rate" "$loss"
			(for _ in $(seq "${ROUNDS:-1}"); do
				measure "$delay $rate $loss" "$near" "$far"
			done) >"$work/figures.$delay.$rate.$loss" &
			jobs="$jobs $!"
			# shellcheck disable=SC2086 # words on purpose
			set -- $jobs
			[ $# -lt "${JOBS:-6}" ] || {
				wait "$1"
				shift
				jobs=$*
			}
		done
	done
done
# shellcheck disable=SC2086 # words on purpose
wait $jobs

cat "$work"/figures.* | sort -n -k1,1 -k2,2 -k3,3 -s | awk '
{
	cell = $1 SUBSEP $2 SUBSEP $3
	if (!(cell in seen)) { order[++n] = cell; seen[cell] }
	col = $4 ", " $5
	if (!(col in known)) { column[++m] = col; known[col] }
	v[cell, col, ++count[cell, col]] = $6
}
function of(cell, col,    a, i, j, t, c) {
	c = count[cell, col]
	for (i = 1; i <= c; i++) {
		a[i] = v[cell, col, i]
		if (a[i] + 0 != a[i]) return a[i]
		for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
			t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
		}
	}
	return a[int((c + 1) / 2)]
}
function table(work,    i, k, p, base, line, rule, value) {
	line = "| round trip, ms | Mbit/s | loss, % | ms"
	rule = "|---|---|---|---"
	for (k = 1; k <= m; k++) {
		split(column[k], p, ", ")
		if (p[1] != work || p[2] == "as-it-is") continue
		line = line " | " p[2]
		rule = rule "|---"
	}
	print "\n" work ": as it is, and the share of that which it takes with\n"
	print line " |\n" rule "|"
	for (i = 1; i <= n; i++) {
		split(order[i], p, SUBSEP)
		base = of(order[i], work ", as-it-is")
		line = "| " p[1] " | " p[2] " | " p[3] / 10000 " | " base
		for (k = 1; k <= m; k++) {
			split(column[k], p, ", ")
			if (p[1] != work || p[2] == "as-it-is") continue
			value = of(order[i], column[k])
			line = line " | " (base > 0 ? sprintf("%.2f",
				value / base) : value)
		}
		print line " |"
	}
}
END { table("fetch"); table("boot"); exit !n }'
