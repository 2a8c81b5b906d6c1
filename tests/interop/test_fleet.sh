#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Many machines boot at once from one server, without their kernels.  Each is a
# network namespace with a cable to a bridge with dnsmasq and nbdkit.  It gets a
# lease with the root-path, and reads the first 16 MiB of that root.  The time
# that a port of the bridge needs to forward, up to a second, is not measured.
# TAP on standard output.
#
#	FLEET='1 4 16 64' test_fleet.sh		numbers of machines, in turns
#
# Each of N machines may take SLACK times the processor time of one alone (the
# mean of SINGLES boots), servers included.  The clock's times are in the table, and
# judge nothing: they are also those of what else the host does.
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"

nbdboot=$O/nbdboot
SINGLES=5
SLACK=2
MIB=16

# ---- the server ----

namespace
srv=$ns
at "$srv" ip link add br0 type bridge forward_delay 0 stp_state 0
at "$srv" ip addr add 192.0.2.1/24 dev br0
at "$srv" ip link set br0 up
head -c ${MIB}M /dev/urandom >"$work/image"
want=$(sha256sum <"$work/image")
dhcpd_on br0 192.0.2.10 192.0.2.250 \
	--dhcp-option=17,nbd://192.0.2.1/root
nbdkit_at 192.0.2.1 -r file "$work/image"

# ---- a machine ----

# The processes of the machines; each leads its own group.
machines=''
at_exit()
{
	for pid in $machines; do
		kill -- "-$pid" 2>/dev/null || true
	done
	# SIGTERM would wait for machines that are cut off by now
	[ ! "${nbdkit-}" ] || kill -9 "$nbdkit" 2>/dev/null || true
}

# The script of a machine: boot NBDBOOT RESULT GO.  It begins when GO is opened
# for writing.  RESULT.ns then has two times: of the lease, and of the last
# byte.
cat >"$work/boot" <<'END'
set -eu
nbdboot=$1
exec 2>"$2.log"
: <"$3"
"$nbdboot" ifup -v ip=dhcp >/dev/null
lease=$(date +%s%N)
. /run/net-eth0.conf
spec=$("$nbdboot" parse-root -r "$ROOTPATH" -s "$ROOTSERVER" root=dhcp)
eval "$spec"
echo "$IPV4ADDR $root_uri" >"$2.lease"
"$nbdboot" copy "$root_uri" - | sha256sum >"$2.sum"
echo "$lease $(date +%s%N)" >"$2.ns"
END

# machine NUMBER: makes a machine, which waits for $dir/go
machine()
{
	namespace
	cli=$ns
	keepers="$keepers $cli"
	# a new name: the kernel removes the old interfaces later
	cable "p$boots.$1" eth0
	at "$srv" ip link set "p$boots.$1" master br0
	at "$cli" ip link set eth0 up
	setsid nsenter -t "$cli" -n -m sh "$work/boot" "$nbdboot" \
		"$dir/$1" "$dir/go" </dev/null &
	machines="$machines $!"
}

# ---- a fleet ----

# Prints how many files NUMBER.$1 have a line that matches $2
having()
{
	cat "$dir"/*."$1" 2>/dev/null | grep -c -e "$2" || true
}

# Sets worked to the ms of a processor that the servers and all children which
# ended took.
working()
{
	{
		times
		cat "/proc/$server/stat" "/proc/$nbdkit/stat"
	} >"$work/working"
	worked=$(awk -v hz="$(getconf CLK_TCK)" '
		NR < 3 { for (i = 1; i <= 2; i++) {
			split($i, t, /[ms]/)
			ms += (t[1] * 60 + t[2]) * 1000 } }
		NR > 2 { sub(/.*\) /, ""); ms += ($12 + $13) * 1000 / hz }
		END { printf "%d\n", ms }' "$work/working")
}

# fleet N: boots N machines.  $dir/times then has a line for each, "number lease
# read end", in ms since the common start.  Sets spent to the ms of a processor.
fleet()
{
	boots=$((${boots:-0} + 1))
	dir=$work/fleet$boots
	machines=''
	keepers=''
	others=$servers
	mkdir "$dir"
	mkfifo "$dir/go"
	i=1
	while [ "$i" -le "$1" ]; do
		machine "$i"
		i=$((i + 1))
	done
	until [ "$(at "$srv" bridge link | grep "p$boots\." |
		grep -c 'state forwarding')" = "$1" ]; do :; done
	working
	spent=$worked
	begin=$(date +%s%N)
	# stays open, for machines that have not reached this point yet
	exec 4>"$dir/go"
	for pid in $machines; do
		wait "$pid" || true
	done
	working
	spent=$((worked - spent))
	exec 4>&-
	machines=''
	# shellcheck disable=SC2086 # words on purpose
	kill $keepers
	servers=$others
	awk -v begin="$begin" 'function ms(t) { return (t - begin) / 1e6 }
		{ n = FILENAME; gsub(/.*\/|\.ns/, "", n)
		printf "%d %.1f %.1f %.1f\n", n, ms($1), ($2 - $1) / 1e6,
			ms($2) }' "$dir"/*.ns >"$dir/times" 2>/dev/null || true
}

# column N FILE: prints it sorted
column()
{
	cut -d' ' -f"$1" "$2" | sort -n
}

median()
{
	awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0 }'
}

# row N FILE: adds a row to the table; LAST is the time of the last machine
row()
{
	echo "$1 $(column 2 "$2" | median) $(column 2 "$2" | tail -n 1)" \
		"$(column 3 "$2" | median) $LAST $SINGLE" |
		awk -v mib=$MIB '{ printf "| %8d | %6d | %6.1f | %6.1f | %6.1f \
| %7.1f | %6.0f | %5.1f |\n", $1, $1 * mib, $2, $3, $4, $5,
			$1 * mib * 1000 / $5, $5 / $6 }' >>"$work/table"
}

# all HOW-MANY N SENTENCE
all()
{
	if [ "$1" = "$2" ]; then
		ok "$3"
		return
	fi
	not_ok "$3"
	echo "# $1 of $2"
	for log in "$dir"/*.log; do
		grep -v 'DHCP message\|is up' "$log" | sed 's,^,# ,' || true
	done | sort | uniq -c | sort -rn | head -n 10 | sed 's/^/# /'
}

judge()
{
	all "$(having lease '^192\.0\.2\.[0-9]* nbd://192\.0\.2\.1/root$')" \
		"$1" "of $1 at once each has a lease and knows its root"
	all "$(cut -d' ' -f1 "$dir"/*.lease | sort -u | wc -l)" "$1" \
		"of $1 at once each has an address of its own"
	all "$(having sum "^$want\$")" "$1" \
		"of $1 at once each reads $MIB MiB with the right SHA-256"
}

# Boots one machine alone a few times.  Sets SINGLE to the median of the times, and
# ALONE to the ms of a processor of all of them.
single()
{
	: >"$work/singles"
	ALONE=0
	while [ "$(wc -l <"$work/singles")" -lt $SINGLES ]; do
		fleet 1
		[ -s "$dir/times" ] || break
		cat "$dir/times" >>"$work/singles"
		ALONE=$((ALONE + spent))
	done
	judge 1
	SINGLE=$(column 4 "$work/singles" | median)
	LAST=$SINGLE
	[ "$SINGLE" != 0 ] || die "one machine alone does not boot"
	row 1 "$work/singles"
}

several()
{
	fleet "$1"
	sort -n "$dir/times" | awk '{ printf \
		"# machine %d: lease %s ms, read %s ms, done after %s ms\n",
		$1, $2, $3, $4 }'
	judge "$1"
	# two messages are enough; more mean that one was lost or refused
	echo "# $(grep -c 'DHCP message' "$dir"/*.log | grep -vc ':2$') of $1" \
		'had to ask a second time for their lease'
	LAST=$(column 4 "$dir/times" | tail -n 1)
	echo "# $spent ms of a processor, and of $SINGLES alone $ALONE"
	check "of $1 at once each takes at most $SLACK times the processor of one" \
		[ $((spent * SINGLES)) -le $((ALONE * $1 * SLACK)) ]
	[ ! "$LAST" ] || row "$1" "$dir/times"
}

cat >"$work/table" <<END
$(nproc) CPUs, $(nbdkit --version), dnsmasq; ms, of 1: medians of $SINGLES

| machines |    MiB | lease  | last l. | read  | last    |  MiB/s | to 1  |
|---:|---:|---:|---:|---:|---:|---:|---:|
END
single
for n in ${FLEET:-64}; do
	[ "$n" = 1 ] || several "$n"
done
sed 's/^/# /' "$work/table"
finish
