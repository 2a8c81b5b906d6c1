#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Networks as sites have them, each from several servers, in network namespaces:
#
#	SERVERS='dnsmasq kea isc' test_networks.sh BUILD
#
# Without SERVERS it is a share of them.  What a network is: its function
# below, which sets what the server says and then what the client must have.  TAP
# on standard output, and at the end a table of networks and servers, with the
# milliseconds that each took.  What time alone brings (silence, refusals,
# leases of a moment) is in tests/sim.
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
	nsenter -t "$relay" -n -m dnsmasq -C /dev/null -k -p 0 --user=root \
		--log-facility=- --dhcp-relay=192.0.2.1,198.51.100.1 \
		>"$work/relay.log" 2>&1 </dev/null &
	others="$others $!"
	servers="$servers $!"
	until at "$relay" ss -Hlnu | grep -q ':67 '; do
		kill -0 "$!" || die "no relay: $(cat "$work/relay.log")"
	done
}

# ---- cells ----

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
	grep -qF -e "$1" "$work/err" || echo "not said: $1" >>"$work/wrong"
}

# reaches ADDRESS: a disk that is served there
reaches()
{
	nbdkit_at "$1" memory 1M
	others="$others $nbdkit"
	wants "$nbdboot info nbd://$1/" 1048576
}

# cell ROW COLUMN START WORD...: a machine in that network, and what it has then
cell()
{
	row=$1 column=$2 start=$3
	shift 3
	others='' untested=''
	says_mask='' says_router=192.0.2.1 says_dns=192.0.2.53 says_domain=''
	says_search='' says_root='' says_mtu='' says_routes='' says_ms=''
	says_last=192.0.2.59 place=machine before='' words=ip=dhcp
	: >"$work/wrong"
	"is_$row"
	$place
	$start
	[ ! "$before" ] || $before
	began=$(date +%s%N)
	# shellcheck disable=SC2086 # words on purpose
	ifup $words
	took=$((($(date +%s%N) - began) / 1000000))
	[ "$status" = 0 ] || cat "$work/out" "$work/err" >>"$work/wrong"
	"has_$row"
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
	echo "$row $column $took" >>"$table"
	for pid in ${server-} $others; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

resolv='cat /run/nbdboot/resolv.conf'
lease='cat /run/nbdboot/lease'

# ---- networks of IPv4 ----

# one router, a DNS server, a domain
is_plain()
{
	says_domain=example.org
}

has_plain()
{
	wants 'ip -4 addr show eth0' '192.0.2.5'
	wants 'ip route' 'default via 192.0.2.1'
	wants "$resolv" 'search example.org'
	wants "$resolv" 'nameserver 192.0.2.53'
}

# classless routes, which replace the router (RFC 3442)
is_routes()
{
	says_router=192.0.2.9
	says_routes='198.51.100.0/24,192.0.2.7 0.0.0.0/0,192.0.2.1'
}

has_routes()
{
	wants 'ip route' '198.51.100.0/24 via 192.0.2.7'
	wants 'ip route' 'default via 192.0.2.1'
}

# the same with the number that Windows had first
is_routes_ms()
{
	is_routes
	says_ms=$says_routes
	says_routes=''
}

has_routes_ms()
{
	has_routes
}

# several domains to search, which the server compresses
is_search()
{
	says_domain=left.example
	says_search=eng.example.org,example.org,ops.example.org
}

has_search()
{
	wants "$resolv" 'search eng.example.org example.org ops.example.org'
}

# more than 576 bytes: a long root-path, 24 routes, six DNS servers
is_long()
{
	says_root=nbd://192.0.2.1/$(printf '%0200d' 0)
	says_dns=192.0.2.31,192.0.2.32,192.0.2.33,192.0.2.34,192.0.2.35,192.0.2.36
	says_search=$(printf '%060d' 1).example.org,$(printf '%060d' 2).test
	says_routes='0.0.0.0/0,192.0.2.1'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do
		says_routes="$says_routes 10.0.$i.0/24,192.0.2.7"
	done
}

has_long()
{
	wants "$lease" "ROOTPATH='$says_root'"
	wants "$resolv" 'nameserver 192.0.2.36'
	wants "$resolv" "$(printf '%060d' 2).test"
	wants 'ip route' '10.0.23.0/24 via 192.0.2.7'
	wants 'ip route' 'default via 192.0.2.1'
}

# an address alone, with a gateway that no prefix covers
is_host32()
{
	says_mask=255.255.255.255
}

has_host32()
{
	wants 'ip -4 addr show eth0' '/32'
	wants 'ip route' 'default via 192.0.2.1 dev eth0'
	reaches 192.0.2.1
}

# a link of two (RFC 3021): the other one is no broadcast address
is_host31()
{
	says_mask=255.255.255.254
	says_last=192.0.2.50
	says_router=192.0.2.51
	before=other_end
}

other_end()
{
	at "$srv" ip addr add 192.0.2.51/31 dev v0
}

has_host31()
{
	wants 'ip -4 addr show eth0' '192.0.2.50/31'
	wants 'ip route' 'default via 192.0.2.51'
	reaches 192.0.2.51
}

# the least that IPv4 has
is_mtu_576()
{
	says_mtu=576
}

has_mtu_576()
{
	wants 'ip link show eth0' 'mtu 576 '
}

is_mtu_9000()
{
	says_mtu=9000
}

has_mtu_9000()
{
	wants 'ip link show eth0' 'mtu 9000 '
}

# less than that: left out, and said
is_mtu_68()
{
	says_mtu=68
}

has_mtu_68()
{
	wants 'ip link show eth0' 'mtu 1500 '
	says 'eth0: left out of what DHCP says: a mask, router, DNS server, MTU'
}

# the server is behind a router
is_relay()
{
	place=behind_relay
}

has_relay()
{
	has_host24
	wants 'ip route' 'default via 192.0.2.1'
}

has_host24()
{
	wants 'ip -4 addr show eth0' '192.0.2.5'
	wants 'ip -4 addr show eth0' '/24 brd'
}

# what is sent to the address before its owner has it is lost
is_deaf()
{
	before=lose_unicast
}

lose_unicast()
{
	at "$srv" nft -f - <<-'END' || untested='the kernel has no egress hook'
		table netdev lossy {
			chain out {
				type filter hook egress device "v0" priority 0;
				ip daddr 192.0.2.0/24 udp dport 68 drop
			}
		}
	END
}

has_deaf()
{
	has_host24
}

# ---- networks of IPv6 ----

router6()
{
	# shellcheck disable=SC2086 # words on purpose
	radvd_on v0 "$@"
	others="$others $radvd"
}

managed='AdvManagedFlag on; prefix 2001:db8::/64 { AdvAutonomous off; };'
other='AdvOtherConfigFlag on; prefix 2001:db8::/64 { };'

has_config6()
{
	wants "$resolv" 'nameserver 2001:db8::53'
	wants "$resolv" 'nameserver 2001:db8::54'
	wants "$resolv" 'search a.example b.example'
	wants 'cat /run/net6-eth0.conf' "ROOTPATH='$url'"
	wants 'ip -6 route' 'default via fe80::'
}

# the router leaves addresses to DHCPv6 (M)
is_managed6()
{
	before=managed6
	words=ip=auto6
}

managed6()
{
	router6 "$managed"
}

has_managed6()
{
	wants 'ip -6 addr show eth0' 'inet6 2001:db8::1'
	wants 'ip -6 addr show eth0' '/128 scope global'
	has_config6
}

# addresses of the router, the rest of DHCPv6 (O)
is_stateless6()
{
	before=stateless6
	words=ip=auto6
}

stateless6()
{
	router6 "$other"
}

has_stateless6()
{
	wants 'ip -6 addr show eth0' '/64 scope global'
	has_config6
}

# a router alone: an MTU, lists in several options, a name twice
is_router6()
{
	before=lists6
	words=ip=auto6
}

lists6()
{
	router6 'AdvLinkMTU 1280; prefix 2001:db8::/64 { };' \
		'RDNSS 2001:db8::51 { }; RDNSS 2001:db8::52 { };' \
		'DNSSL a.example { }; DNSSL b.example a.example { };'
}

nobody()
{
	server=''
	: >"$work/server.log"
}

has_router6()
{
	wants 'ip -6 addr show eth0' '/64 scope global'
	wants 'cat /proc/sys/net/ipv6/conf/eth0/mtu' 1280
	wants "$resolv" 'nameserver 2001:db8::51'
	wants "$resolv" 'nameserver 2001:db8::52'
	wants "$resolv" 'search a.example b.example'
}

# ---- the table ----

for row in plain routes routes_ms search long host32 host31 mtu_576 mtu_9000 \
	mtu_68 relay deaf; do
	for column in $columns; do
		cell "$row" "$column" "start_$column"
	done
done
for row in managed6 stateless6; do
	for column in $columns; do
		cell "$row" "$column" "start6_$column"
	done
done
cell router6 radvd nobody

# shellcheck disable=SC2086 # words on purpose
awk -v columns="$columns radvd" 'BEGIN {
	n = split(columns, c, " ")
	printf "# %-12s", "ms"
	for (i = 1; i <= n; i++)
		printf " %8s", c[i]
	print ""
}
!($1 in seen) { seen[$1]; rows[++r] = $1 }
{ took[$1, $2] = $3 }
END {
	for (j = 1; j <= r; j++) {
		printf "# %-12s", rows[j]
		for (i = 1; i <= n; i++)
			printf " %8s", ((rows[j], c[i]) in took) ? \
				took[rows[j], c[i]] : "-"
		print ""
	}
}' "$table"
finish
