# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_reconnect.sh in the machine, sourced by guest/init.sh.  The
# servers are in the machine too, so that the script can kill and restart them.

# shellcheck source=tests/vm/guest/outage.sh
. /outage
# libcrc32c requests it by a name that is no dependency
modprobe crc32c_generic
modprobe nf_tables

# ---- the view of the driver ----

# Sets now to the local ports of the live links, on one line.
look()
{
	now=$(nbdboot status nbd0 |
		sed -n 's/^  live .* from port \([0-9]*\),.*/\1/p' | tr '\n' ' ')
}

all_live()
{
	look
	[ "$(echo $now | wc -w)" = $connections ]
}

# replaced: at most $spare of the old $links are alive
replaced()
{
	left=0
	for port in $links; do
		case " $now" in
		*" $port "*) left=$((left + 1)) ;;
		esac
	done
	[ $left -le $spare ]
}

# The driver notices the outage after 19 s at the latest, by keepalive.  A link
# without requests stays until it gets requests of a link that timed out.
noticed()
{
	until look && replaced || [ $(($(now_ms) - began)) -gt 40000 ]; do
		sleep 0.1
	done
	pause 0 500
}

# must COMMAND...: without its success there is no outage
must()
{
	"$@" >/dev/null 2>err || not_ok "$sentence: $*" "$(cat err)"
}

# ---- outages ----

killed()
{
	begin
	must kill -9 $server
	pause 0 1500
	file_server
	end
}

# Idle links are not affected by it.
frozen()
{
	spare=$((connections - 1))
	begin
	must kill -STOP $server
	noticed
	must kill -CONT $server
	end
}

# cut RULE...: drops packets of the server's port that match
cut()
{
	begin
	must nft add table ip t
	must nft add chain ip t c '{ type filter hook input priority 0; }'
	for rule; do
		must nft add rule ip t c tcp $rule counter drop
	done
	noticed
	must sh -c 'nft list table ip t | grep "packets [1-9].*drop"'
	must nft delete table ip t
	end
}

# The busiest live link, which times out first.
one_connection()
{
	links=$(nbdboot list --json nbd0 | grep -o '"live", "peer"[^}]*' |
		sed 's/.*"local_port": \([0-9]*\), "sent": \([0-9]*\),.*/\2 \1/' |
		sort -n | sed -n '$s/.* //p')
	cut "dport $links"
}

address_gone()
{
	begin
	must ip addr del $address/32 dev lo
	pause ${outage}000 ${outage}100
	noticed
	must ip addr add $address/32 dev lo
	end
}

# A link is known by its port, which the kernel may give again: new ones get
# ports that no link of the last outages had.
other_ports()
{
	window=$(((window + 1) % 80))
	echo "$((20000 + window * 500)) $((20499 + window * 500))" \
		>/proc/sys/net/ipv4/ip_local_port_range
}

# outage SENTENCE TIMES COMMAND...: makes outages while fio verifies.  The
# command lasts until at most $spare of $links (all links unless it sets them)
# are alive.  If more of them are there at the end, the driver has missed the
# outage.
outage()
{
	sentence=$1 times=$2
	shift 2
	verify_start
	missed=0
	i=0
	while [ $i -lt $times ]; do
		flows
		pause 0 300
		await all_live
		links=$now spare=0
		other_ports
		"$@"
		await all_live
		if [ ! "$links" ] || ! replaced; then
			missed=$((missed + 1))
			echo "# ports before: $links, after: $now"
		fi
		flows
		# otherwise two outages in a row would be one long pause
		settles
		i=$((i + 1))
	done
	flows
	verified "$sentence, $times times"
	check "$sentence: the links were replaced" same $missed 0
}

# ---- all kinds of outages ----

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
	# the program is locked, all of it
	check "$kind: it has at most $4 KiB beside the program" awk \
		-v max=$(($4 + $(wc -c </proc/$watch/exe) / 1024)) \
		'/^Rss/ && $2 > max { exit 1 }' /proc/$watch/smaps_rollup
	kill -9 $server
	check "$kind: disconnect" nbdboot disconnect nbd0
	# it ends by itself
	wait $watch
	check "$kind: the watcher ends with the device" test $? = 0
}

window=0
with_tls='' keys=''
all_outages 'plain, 1 connection' 1 nbd://$address/ 136
all_outages 'plain, 4 connections' 4 nbd://$address/ 136
if [ -d /tls ]; then
	with_tls='--tls=require --tls-certificates=/tls'
	keys='-A /tls/ca-cert.pem'
	all_outages 'TLS, 1 connection' 1 nbds://$address/ 428
	all_outages 'TLS, 4 connections' 4 nbds://$address/ 428
fi
with_tls='' keys=''
