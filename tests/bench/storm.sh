#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A morning: all machines boot at once from one server, or from two, whose links
# carry MBIT each; and the same with a server that is killed when half of the
# bytes have come.  Each machine is a process with the product's own connection
# (storm.c), and reads what a Debian read until it was up (debian.reads).
#
#	MACHINES='100 1000' MBIT=1000 ROWS='boot tls killed tls-killed two one-of-two
#		qemu-nbd nbd-server' storm.sh BUILD
#
# "ideal" is what all bytes take at the rate of one reader alone, or what one
# machine alone takes, if that is longer.  "tries" are the connections that all
# machines tried in the busiest second and tenth of a second behind a kill.  CPU
# and memory, without files, are those of all processes when the last machine is
# done, of the machines together, and of one server that was not killed.
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
# shellcheck source=tests/pki.sh
. "${0%/*}/../pki.sh"

storm=$O/t/bench/tests/bench/storm
reads=${0%/*}/debian.reads
MBIT=${MBIT:-1000}
AWAY=20 # s that a killed server stays away
# shellcheck disable=SC3045 # dash has it
ulimit -n 16384

# ---- two servers, and a machine room ----

image=$work/image
awk '{ end = $2 + $3; if (end > max) max = end } END { print max }' "$reads" \
	>"$work/size"
head -c "$(cat "$work/size")" /dev/urandom >"$image"
namespace
cli=$ns

# room N: a server's namespace, 192.0.2.1 or 198.51.100.1, and its link
room()
{
	namespace
	srv=$ns
	cable "srv$1" "cli$1"
	at "$srv" ip addr add "$2.1/24" dev "srv$1"
	at "$srv" tc qdisc add dev "srv$1" root tbf rate "${MBIT}mbit" \
		burst 256k latency 50ms
	at "$cli" ip addr add "$2.2/24" dev "cli$1"
	at "$cli" ip link set "cli$1" up
}
room 1 192.0.2
one=$srv
room 2 198.51.100
two=$srv

pki "$work/pki"
pki_server "$work/pki" server ecdsa 'ip_address = "192.0.2.1"'
pki_use "$work/pki" server "$work/tls"

# start NAMESPACE KIND: sets server, which reads the image
start()
{
	srv=$1
	# children of nbd-server have its socket
	while at "$srv" ss -Hltn | grep -q ':10809 '; do :; done
	case $2 in
	nbdkit) set -- nbdkit -f -r -t 4 file "$image" ;;
	tls) set -- nbdkit -f -r -t 4 --tls=require \
		--tls-certificates="$work/tls" file "$image" ;;
	qemu-nbd) set -- qemu-nbd -t -r -f raw -e 4096 -p 10809 "$image" ;;
	nbd-server)
		printf '%s\n' '[generic]' 'port = 10809' '[image]' \
			"exportname = $image" 'readonly = true' >"$work/nbd.conf"
		rm -f "$work/nbd.pid"
		# with -d it has one client
		nsenter -t "$srv" -n -m nbd-server -C "$work/nbd.conf" \
			-p "$work/nbd.pid" >"$work/server.log" 2>&1
		until server=$(cat "$work/nbd.pid" 2>/dev/null) &&
			[ "$server" ]; do :; done
		servers="$servers $server"
		listens -t 10809 "$server" "$work/server.log"
		return
		;;
	esac
	nsenter -t "$srv" -n -m "$@" >"$work/server.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -t 10809 "$server" "$work/server.log"
}

stop()
{
	kill -9 "$1"
	wait "$1" 2>/dev/null || true
}

# ---- a storm ----

# tries FILE: the most SYNs in a second, in a tenth of one, and their mean there
tries()
{
	tshark -r "$1" -T fields -e frame.time_epoch 2>/dev/null | awk '
	{ if (!n++) first = $1
		last = $1
		s[int(last - first)]++
		t[int((last - first) * 10)]++ }
	END {
		for (i in s) if (s[i] > most) most = s[i]
		for (i in t) if (t[i] > peak) peak = t[i]
		printf "%d, %d, %.1f", most, peak,
			n / ((last - first) * 10 + 1)
	}'
}

# usage_of PID: of the process and its children
usage_of()
{
	for of in "$1" $(cat "/proc/$1/task/"*/children); do
		cat "/proc/$of/stat" "/proc/$of/status" 2>/dev/null
	done | awk '
	/^[0-9]+ \(/ { cpu += ($14 + $15) / 100; n++ }
	/^RssAnon/ { m += $2 / 1024 }
	/^Threads/ { t += $2 }
	END { printf "%.1f s, %d MiB, %d processes, %d threads", cpu, m, n, t }'
}

# sent_again: segments that the first server has sent again, those times that none
# was answered in time, and connections that it had no room for
sent_again()
{
	awk '
	{ if ($1 in names) {
		split(names[$1], name)
		for (i = 2; i <= NF; i++) value[name[i]] = $i
		delete names[$1]
	} else names[$1] = $0 }
	END { print value["RetransSegs"], value["TCPTimeouts"],
		value["ListenDrops"] }' \
		"/proc/$one/net/snmp" "/proc/$one/net/netstat"
}

# counters PID: what its network counts of connections that end early
counters()
{
	awk '
	{ if ($1 in names) {
		split(names[$1], name)
		for (i = 2; i <= NF; i++)
			if (name[i] ~ /Abort|Reset|Rsts|Overflow|Drops|Syncookies|ReqQFull|MemoryPress|RetransFail|BacklogDrop|RcvQDrop|PassiveOpens|TCPTimeouts|RetransSegs/)
				print name[i], $i
		delete names[$1]
	} else names[$1] = $0 }' "/proc/$1/net/snmp" "/proc/$1/net/netstat"
}

# changed FILE PID NAME: those that have grown since FILE
changed()
{
	counters "$2" | awk -v what="$3" '
	NR == FNR { was[$1] = $2; next }
	$2 > was[$1] { printf "%s%s %d", n++ ? ", " : "# " what ": ",
		$1, $2 - was[$1] }
	END { if (n) print "" }' "$1" -
}

# begin URI...: starts the machines, all at once when "begin" was read from 3
begin()
{
	before=$(sent_again)
	counters "$one" >"$work/counters.one"
	counters "$cli" >"$work/counters.cli"
	rm -f "$work/events" "$work/seen"
	mkfifo "$work/events" "$work/seen"
	nsenter -t "$cli" -n "$storm" ${CA:+-c "$CA"} "$machines" "$reads" \
		"$@" <"$work/seen" >"$work/events" 2>"$work/storm.err" &
	pid=$!
	exec 4>"$work/seen" 3<"$work/events"
	read -r word <&3
	[ "$word" = begin ] || die "no storm: $(cat "$work/storm.err")"
}

# the server SERVER of NAMESPACE dies, and is back $AWAY s later as KIND, unless
# that is "dead"
kill_one()
{
	read -r word <&3
	[ "$word" = half ] || die "no half: $word"
	# of both links
	nsenter -t "$cli" -n dumpcap -q \
		-f 'tcp[tcpflags] & (tcp-syn|tcp-ack) == tcp-syn' \
		-i cli1 -i cli2 -w "$work/syns" >"$work/dumpcap" 2>&1 &
	dump=$!
	servers="$servers $dump"
	until grep -q '^File' "$work/dumpcap"; do
		kill -0 "$dump" || die "$(cat "$work/dumpcap")"
	done
	stop "$2"
	[ "$3" != dead ] || return 0
	# the outage itself, not a wait for something
	sleep "$AWAY"
	start "$1" "$3"
}

# last: reads up to the end of the last machine, and what all have used
last()
{
	while read -r word <&3 && [ "$word" != last ]; do :; done
	used="$(usage_of "$server") | $(usage_of "$pid")"
	lost=$(echo "$before $(sent_again)" | awk '{ printf "%d, %d, %d", \
		$4 - $1, $5 - $2, $6 - $3 }')
	# the end of the machines resets their connections
	{
		changed "$work/counters.one" "$one" 'the first server'
		changed "$work/counters.cli" "$cli" 'the machines'
	} >"$work/changed"
	cp "$work/server.log" "$work/said"
	echo >&4
	exec 4>&-
	cat <&3 >"$work/machines"
	exec 3<&-
	wait "$pid" || true
}

# end EXTRA RATE: the row of the storm that ran, EXTRA seconds of it without the
# server; RATE is what the servers can do together, bytes/s
end()
{
	last
	seen=
	if [ -s "$work/syns" ]; then
		kill -INT "$dump"
		wait "$dump" || true
		seen=$(tries "$work/syns")
		rm -f "$work/syns"
	fi
	awk -v row="$row" -v n="$machines" -v extra="$1" -v rate="$2" \
		-v alone="$alone" -v seen="$seen" -v used="$used" -v lost="$lost" \
		'/^[0-9]/ && NF == 3 { done++; bytes += $3
			if ($1 > last) last = $1
			again += $2 }
		/^failed/ && !why { why = $0 }
		/^again/ { $1 = $2 = ""; whys[$0]++ }
		END {
			last = last / 1000 - extra
			ideal = bytes / rate
			if (ideal < alone) ideal = alone
			printf "| %d | %s | %d | %.1f%s | %.1f | %.2f | %d | " \
				"%s | %s | %s |\n", n, row, done, last,
				extra ? " + " extra : "", ideal, last / ideal,
				again, lost, seen, used
			for (w in whys) print "# " whys[w] " again:" w
			if (why) print "# " why
		}' "$work/machines"
	cat "$work/changed"
	sort "$work/said" | sed 's/\[[0-9]*\]//' | uniq -c | sort -rn |
		sed -n '1,5s/^ */# server: /p'
}

# one ROW KIND URI
one_server()
{
	row=$1
	start "$one" "$2"
	begin "$3"
	end 0 "$rate"
	stop "$server"
}

# one_killed ROW KIND URI
one_killed()
{
	row=$1
	start "$one" "$2"
	begin "$3"
	kill_one "$one" "$server" "$2"
	end $AWAY "$rate"
	stop "$server"
}

row_of()
{
	plain=nbd://192.0.2.1/ other=nbd://198.51.100.1/
	secret=nbds://192.0.2.1/ ca=$work/pki/ca-cert.pem
	case $1 in
	boot) one_server "boot, nbdkit" nbdkit "$plain" ;;
	qemu-nbd) one_server "boot, qemu-nbd" qemu-nbd "$plain" ;;
	nbd-server) one_server "boot, nbd-server" nbd-server "${plain}image" ;;
	tls) CA=$ca one_server 'boot, TLS' tls "$secret" ;;
	killed) one_killed "killed, back after $AWAY s" nbdkit "$plain" ;;
	tls-killed) CA=$ca one_killed "TLS, killed, back after $AWAY s" tls \
		"$secret" ;;
	two | one-of-two)
		row='two servers'
		start "$one" nbdkit
		first=$server
		start "$two" nbdkit
		second=$server
		begin "$plain" "$other"
		if [ "$1" = two ]; then
			read -r word <&3
			end 0 "$(awk "BEGIN { print 2 * $rate }")"
			stop "$first"
		else
			row='two servers, one killed'
			kill_one "$one" "$first" dead
			# half of the bytes by two, the rest by one
			end 0 "$(awk "BEGIN { print 4 / 3 * $rate }")"
		fi
		stop "$second"
		;;
	*) die "no row $1" ;;
	esac
}

# ---- one reader, and one machine ----

start "$one" nbdkit
begun=$(date +%s%N)
for _ in 1 2 3 4; do
	at "$cli" "$O/nbdboot" copy nbd://192.0.2.1/ - >/dev/null 2>"$work/err" ||
		die "$(cat "$work/err")"
done
rate=$(awk "BEGIN { print 4e9 * $(cat "$work/size") / ($(date +%s%N) - $begun) }")
machines=1
begin nbd://192.0.2.1/
last
alone=$(sed -n 's/^\([0-9]*\) .*/\1/p' "$work/machines" | awk '{ print $1 / 1000 }')
stop "$server"

echo "One reader: $rate bytes/s at $MBIT Mbit/s.  One machine: $alone s."
echo
echo '| machines | row | done | last, s | ideal, s | ratio | reconnects | sent again, time-outs, no room | tries in 1 s, in 0.1 s, mean of these | server | machines |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
for machines in ${MACHINES:-100 1000}; do
	for r in ${ROWS:-boot tls killed two one-of-two}; do
		row_of "$r"
	done
done
