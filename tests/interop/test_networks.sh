#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Networks as sites have them, each from several servers, in network namespaces:
#
#	SERVERS='dnsmasq kea isc' ROWS='*' test_networks.sh BUILD
#
# Without SERVERS it is a share of them.  What a network is: its function in
# networks4.sh or networks6.sh, which sets what the server says, and the one
# after it, what the client must have then.  TAP on standard output, and at the
# end a table of networks and servers, with the milliseconds that each took, and
# why a server has no part in a network.  "script" is dhcp.c: what no real server
# sends.  What many hours bring is in tests/sim.
O=${1:-build}
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
# shellcheck source=tests/interop/dhcpds.sh
. "${0%/*}/dhcpds.sh"

nbdboot=$O/nbdboot
columns=${SERVERS:-dnsmasq}
table=$work/table
: >"$table"
: >"$work/notes"
for name in dhcp dns; do
	gcc -O2 -std=c11 -D_GNU_SOURCE -o "$work/$name" "${0%/*}/$name.c"
done

# ---- places ----

# machine: a server and a client with a cable between them
machine()
{
	namespace
	srv=$ns
	namespace
	cli=$ns
	cable v0 eth0
	at "$srv" ip addr add 192.0.2.1/24 dev v0
	at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
	# servers of DHCPv6 listen only where there is a carrier
	at "$cli" ip link set eth0 up
}

# switched: the same, and a switch between them, which is $second and has a
# server on v0, too
switched()
{
	namespace
	second=$ns
	namespace
	cli=$ns
	namespace
	srv=$ns
	at "$second" ip link add v0 type bridge forward_delay 0 mcast_snooping 0
	at "$second" ip link set v0 up
	at "$second" ip addr add 192.0.2.9/24 dev v0
	at "$second" ip addr add 2001:db8::9/64 dev v0 nodad
	at "$second" ip link add s1 type veth peer name v0 netns "$srv"
	at "$second" ip link add s2 type veth peer name eth0 netns "$cli"
	for port in s1 s2; do
		at "$second" ip link set "$port" master v0
		at "$second" ip link set "$port" up
	done
	at "$srv" ip link set v0 up
	at "$cli" ip link set eth0 up
	at "$srv" ip addr add 192.0.2.1/24 dev v0
	at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
}

# on NAMESPACE FUNCTION...: runs it with that as $srv
on()
{
	kept_srv=$srv
	srv=$1
	shift
	"$@"
	srv=$kept_srv
}

# behind_relay: the same, with a router between them that relays DHCP
behind_relay()
{
	namespace
	relay=$ns
	namespace
	cli=$ns
	srv=$relay
	cable down0 eth0
	at "$relay" ip addr add 192.0.2.1/24 dev down0
	namespace
	srv=$ns
	at "$relay" ip link add up0 type veth peer name v0 netns "$srv"
	at "$relay" ip addr add 198.51.100.2/24 dev up0
	at "$relay" ip link set up0 up
	at "$srv" ip addr add 198.51.100.1/24 dev v0
	at "$srv" ip link set v0 up
	at "$srv" ip route add 192.0.2.0/24 via 198.51.100.2
	at "$relay" sysctl -qw net.ipv4.ip_forward=1
	case $relay_of in
	isc) relays 67 dhcrelay -4 -d --no-pid -id down0 -iu up0 198.51.100.1 ;;
	*) relays 67 dnsmasq -C /dev/null -k -p 0 --user=root --log-facility=- \
		--dhcp-relay=192.0.2.1,198.51.100.1 ;;
	esac
}

# the same with IPv6; the router tells of its server
behind_relay6()
{
	namespace
	relay=$ns
	namespace
	cli=$ns
	srv=$relay
	cable down0 eth0
	at "$relay" ip addr add 2001:db8::1/64 dev down0 nodad
	at "$cli" ip link set eth0 up
	namespace
	srv=$ns
	at "$relay" ip link add up0 type veth peer name v0 netns "$srv"
	at "$relay" ip addr add 2001:db8:1::2/64 dev up0 nodad
	at "$relay" ip link set up0 up
	at "$srv" ip addr add 2001:db8:1::1/64 dev v0 nodad
	at "$srv" ip link set v0 up
	at "$srv" ip -6 route add 2001:db8::/64 via 2001:db8:1::2
	case $relay_of in
	isc) relays 547 dhcrelay -6 -d --no-pid -l down0 -u 2001:db8:1::1%up0 ;;
	*) relays 547 dnsmasq -C /dev/null -k -p 0 --user=root \
		--log-facility=- --dhcp-relay=2001:db8::1,2001:db8:1::1 ;;
	esac
}

# relays PORT COMMAND...: starts a relay
relays()
{
	port=$1
	shift
	nsenter -t "$relay" -n -m "$@" >"$work/relay.log" 2>&1 </dev/null &
	others="$others $!"
	servers="$servers $!"
	on "$relay" listens -u "$port" "$!" "$work/relay.log"
}

# start_script: dhcp.c in $srv, which answers as $kind
start_script()
{
	for own in 8 9; do
		at "$srv" ip addr replace "192.0.2.$own/24" dev v0
	done
	nsenter -t "$srv" -n "$work/dhcp" "$kind" >"$work/script.log" 2>&1 \
		</dev/null &
	script=$!
	servers="$servers $script"
	others="$others $script"
	listens -u 67 "$script" "$work/script.log"
}

# ---- cells ----

wrong()
{
	echo "$*" >>"$work/wrong"
}

# wants COMMAND TEXT: the client's command prints TEXT
wants()
{
	# shellcheck disable=SC2086 # words on purpose
	at "$cli" $1 >"$work/has" 2>&1 || true
	grep -qF -e "$2" "$work/has" || {
		echo "no \"$2\" in: $1" && cat "$work/has"
	} >>"$work/wrong"
}

# says TEXT: ifup has printed it
says()
{
	grep -qF -e "$1" "$work/err" || wrong "not said: $1"
}

# sent COUNT-OR-MORE TEXT: so often the script has, which first answers all that
# has come, and ends
sent()
{
	end_server "$script"
	[ "$(grep -c "$2" "$work/script.log")" -ge "$1" ] ||
		wrong "less than $1 times $2: $(cat "$work/script.log")"
}

# disk_at NAMESPACE ADDRESS
disk_at()
{
	on "$1" nbdkit_at "$2" memory 1M
	others="$others $nbdkit"
}

# reaches ADDRESS: a disk that is served there
reaches()
{
	disk_at "$srv" "$1"
	wants "$nbdboot info nbd://$1/" 1048576
}

# renews: it asks for its lease again
renews()
{
	run at "$cli" "$nbdboot" ifup -r
}

# cannot COLUMN REASON: that server has no part in this network
cannot()
{
	[ "$column" != "$1" ] || reason=$2
}

# What servers say unless a network changes it
says_usual()
{
	says_mask='' says_router=192.0.2.1 says_dns=192.0.2.53 says_domain=''
	says_search='' says_root='' says_mtu='' says_routes='' says_ms=''
	says_host='' says_t1='' says_t2='' says_lease='' says_ours=''
	says_first=192.0.2.50 says_last=192.0.2.59
	says_pool='2001:db8::100 2001:db8::1ff' says_url=$url says_params=''
	says_zero='' says_life='' says_best='' says_behind=''
	kind=right relay_of=dnsmasq
}

# Reports what is wrong.
judge()
{
	if [ -s "$work/wrong" ]; then
		not_ok "$row, $column"
		show "$work/wrong"
		show "$work/server.log"
		took=failed
	elif [ "$untested" ]; then
		ok "$row, $column # SKIP allowed: $untested"
	else
		ok "$row, $column"
	fi
}

# cell ROW COLUMN START: a machine in that network, and what it has then
cell()
{
	row=$1 column=$2 start=$3
	others='' untested='' reason='' server=''
	place=machine before='' words=ip=dhcp fails=''
	: >"$work/wrong"
	: >"$work/server.log"
	says_usual
	"is_$row"
	if [ "$reason" ]; then
		echo "# $row, $column: $reason" >>"$work/notes"
		return
	fi
	$place
	$start
	[ ! "$before" ] || $before
	began=$(date +%s%N)
	# shellcheck disable=SC2086 # words on purpose
	ifup $words
	took=$((($(date +%s%N) - began) / 1000000))
	if [ "$fails" ]; then
		[ "$status" = 1 ] || wrong "it has not failed"
		says "$fails"
	elif [ "$status" != 0 ]; then
		cat "$work/out" "$work/err" >>"$work/wrong"
	fi
	"has_$row"
	judge
	echo "$row $column $took" >>"$table"
	for pid in $server $others; do
		! is_ours "$pid" || kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

# chosen ROW: does a pattern of $ROWS match?
chosen()
{
	found=1
	set -f
	for pattern in ${ROWS:-*}; do
		# shellcheck disable=SC2254 # a pattern
		case $1 in
		$pattern) found=0 ;;
		esac
	done
	set +f
	return $found
}

# cells COLUMNS START ROW...: those that are chosen
cells()
{
	list=$1 how=$2
	shift 2
	for row; do
		chosen "$row" || continue
		for column in $list; do
			case $how in
			*_) cell "$row" "$column" "$how$column" ;;
			*) cell "$row" "$column" "$how" ;;
			esac
		done
	done
}

nobody()
{
	:
}

resolv='cat /run/nbdboot/resolv.conf'
lease='cat /run/nbdboot/lease'

# ---- the table ----

# shellcheck source=tests/interop/networks4.sh
. "${0%/*}/networks4.sh"
# shellcheck source=tests/interop/networks6.sh
. "${0%/*}/networks6.sh"
# shellcheck disable=SC2086 # words on purpose
{
	cells "$columns" start_ $networks4
	cells script start_script $scripted4
	cells "$columns" start6_ $networks6
	cells radvd nobody $routers6
	# these take half a minute, or their share is another one's
	if [ "${SERVERS-}" ]; then
		cells "$columns" start_ $more4
		cells script start_script $slow4
		cells "$columns" start6_ $more6
		cells radvd nobody $more_routers6
	fi
}

awk -v columns="$columns script radvd" 'BEGIN {
	n = split(columns, c, " ")
	printf "# %-13s", "ms"
	for (i = 1; i <= n; i++)
		printf " %8s", c[i]
	print ""
}
!($1 in seen) { seen[$1]; rows[++r] = $1 }
{ took[$1, $2] = $3 }
END {
	for (j = 1; j <= r; j++) {
		printf "# %-13s", rows[j]
		for (i = 1; i <= n; i++)
			printf " %8s", ((rows[j], c[i]) in took) ? \
				took[rows[j], c[i]] : "-"
		print ""
	}
}' "$table"
cat "$work/notes"
finish
