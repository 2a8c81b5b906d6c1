# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# What test_reconnect.sh checks, read by guest.sh in the machine: the servers
# are in it, too, so that they can be killed and come back.

# shellcheck source=tests/vm/outage.sh
. /outage
# libcrc32c asks for it by a name that no dependency has
modprobe crc32c_generic
modprobe nf_tables

# ---- outages ----

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

# outage SENTENCE TIMES COMMAND...: while fio verifies.
outage()
{
	sentence=$1 times=$2
	shift 2
	verify_start
	again=
	i=0
	while [ $i -lt $times ]; do
		flows
		pause 0 300
		again=
		"$@"
		again=1
		await live $connections
		flows
		# what was in flight is answered when its time is over; else
		# two outages in a row would be one long pause
		sleep $((timeout + 1))
		i=$((i + 1))
	done
	flows
	verified "$sentence, $times times"
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
