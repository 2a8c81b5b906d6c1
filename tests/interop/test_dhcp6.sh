#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Addresses by DHCPv6, in network namespaces, from dnsmasq and Kea.  TAP on
# standard output.
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"

nbdboot=$O/nbdboot

# machine ROUTER...: makes a machine, and a server with a cable between them,
# which advertises what radvd's words say; without any it does not
machine()
{
	if [ "${radvd-}" ]; then
		end_server "$radvd"
	fi
	radvd=''
	namespace
	srv=$ns
	namespace
	cli=$ns
	cable v0 eth0
	at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
	# Kea listens only where there is a carrier
	at "$cli" ip link set eth0 up
	[ $# = 0 ] || radvd_on v0 "$@"
}

# dnsmasq OPTION...: for 2001:db8::100 to ::1ff
dnsmasq()
{
	dhcpd_on v0 192.0.2.50 192.0.2.60 \
		--dhcp-duid=1,01020304 \
		--dhcp-range=2001:db8::100,2001:db8::1ff,64,3600 "$@"
	listens -u 547 "$server" "$work/dnsmasq.log"
}

# kea NAME TEXT [GLOBAL]: starts Kea on v0.  TEXT is of its subnet, GLOBAL of the
# server.  Sets server, and kea_log.
kea()
{
	kea_log=$work/$1.log
	mkdir -p "$work/$1"
	cat >"$work/$1.conf" <<-END
		{ "Dhcp6": {
		"interfaces-config": { "interfaces": [ "v0"${kea_also-} ],
			"service-sockets-max-retries": 100,
			"service-sockets-retry-wait-time": 100 },
		"lease-database": { "type": "memfile", "persist": false },
		"server-id": { "type": "EN", "enterprise-id": 1,
			"identifier": "$(printf %s "$1" | od -An -tx1 | tr -d ' \n')",
			"persist": false },
		"loggers": [ { "name": "kea-dhcp6", "severity": "DEBUG",
			"debuglevel": 50,
			"output_options": [ { "output": "stdout" } ] } ],
		${3-}
		"subnet6": [ { "id": 1, "subnet": "2001:db8::/64", "interface": "v0",
			$2 } ] } }
	END
	nsenter -t "$srv" -n -m env KEA_PIDFILE_DIR="$work/$1" \
		KEA_LOCKFILE_DIR=none KEA_DHCP_DATA_DIR="$work/$1" \
		kea-dhcp6 -c "$work/$1.conf" >"$kea_log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -u 547 "$server" "$kea_log"
}

pool()
{
	printf '"pools": [ { "pool": "2001:db8::%s" } ]' "$1"
}

# asked PATTERN SENTENCE: the log of the server has it
asked()
{
	if grep -q -e "$1" "${kea_log:-$work/dnsmasq.log}"; then
		ok "$2"
	else
		not_ok "$2"
		show "${kea_log:-$work/dnsmasq.log}"
	fi
}

managed='AdvManagedFlag on; prefix 2001:db8::/64 { AdvAutonomous off; };'

# ---- dnsmasq ----

machine "$managed"
dnsmasq --dhcp-option='option6:dns-server,[2001:db8::53]' \
	--dhcp-option=option6:domain-search,example.org,other.test \
	--dhcp-option='option6:bootfile-url,nbd://[2001:db8::1]/root'
ifup ip=dhcp6
expect 0 eth0 'ip=dhcp6 gets an address of dnsmasq'
client_has 'ip -6 addr show eth0' 'inet6 2001:db8::1' 'which the interface has'
client_has 'ip -6 addr show eth0' '/128 scope global' 'alone, as no prefix is on the link'
client_has 'ip -6 addr show eth0' 'valid_lft forever' 'and keeps'
client_has 'ip -6 route' 'default via fe80::' 'the route is that of the router'
client_has 'cat /run/nbdboot/resolv.conf' 'nameserver 2001:db8::53' 'DNS is of DHCPv6'
client_has 'cat /run/nbdboot/resolv.conf' 'search example.org other.test' \
	'so are the domains'
client_has 'cat /run/net6-eth0.conf' "ROOTPATH='nbd://[2001:db8::1]/root'" \
	'so is the root-path'
client_has 'cat /run/net6-eth0.conf' "PROTO='dhcp6'" 'the file names the method'
client_has 'cat /run/net6-eth0.conf' "DHCPLEASETIME='3600'" 'and the lifetime'
asked 'DHCPREPLY' 'the server has given it'
address=$(at "$cli" ip -6 -o addr show eth0 scope global)
: >"$work/dnsmasq.log"
ifup -r
if [ "$status" = 0 ] && [ "$(cat "$work/out")" -gt 1500 ] &&
	[ "$(cat "$work/out")" -le 1800 ]; then
	ok 'the lease is renewed'
else
	not_ok 'the lease is renewed'
	show "$work/out"
	show "$work/err"
fi
asked DHCPRENEW 'by one message to its server'
end_server "$server"
dnsmasq
ifup -r
expect 0 '' 'a server that lost its leases'
asked DHCPRENEW 'is asked to renew'
asked DHCPREQUEST 'and once more, for the same address'
at "$cli" ip -6 addr flush dev eth0 scope global
: >"$work/dnsmasq.log"
ifup ip=eth0:auto6
expect 0 eth0 'auto6 takes it too where the router says so'
asked DHCPREPLY 'from the server'
if [ "$(at "$cli" ip -6 -o addr show eth0 scope global)" = "$address" ]; then
	ok 'the same address at each boot'
else
	not_ok 'the same address at each boot'
fi
end_server "$server"

# ---- Kea ----

# in the background: it lasts until all attempts are over
machine "$managed"
kea poor '"pools": [ ]'
none=$cli
nsenter -t "$none" -n -m "$nbdboot" ifup ip=eth0:dhcp6 \
	>"$work/none.out" 2>&1 </dev/null &
none_pid=$!

machine "$managed"
kea rapid "$(pool 200-2001:db8::2ff), \"rapid-commit\": true" '"option-data": [
	{ "name": "bootfile-url", "data": "tftp://[2001:db8::1]/boot.efi" },
	{ "name": "bootfile-param", "data": "quiet, nbd://[2001:db8::1]/root" },
	{ "name": "dns-servers", "data": "2001:db8::54" } ],'
ifup ip=dhcp6
expect 0 eth0 'ip=dhcp6 gets an address of Kea'
client_has 'ip -6 addr show eth0' 'inet6 2001:db8::200/128' 'from its pool'
client_has 'cat /run/net6-eth0.conf' "ROOTPATH='nbd://[2001:db8::1]/root'" \
	'of the parameters of a boot file, a URI is the root-path'
if grep -q 'DHCP6_PACKET_RECEIVED.*REQUEST' "$kea_log"; then
	not_ok 'two messages are enough'
else
	asked 'DHCP6_PACKET_RECEIVED.*SOLICIT' 'two messages are enough'
fi
end_server "$server"
kea rapid "$(pool 200-2001:db8::2ff)"
ifup -r
expect 0 '' 'Kea lost its leases'
client_has 'ip -6 addr show eth0' 'inet6 2001:db8::200/128' 'the address stays'
asked 'DHCP6_PACKET_RECEIVED.*RENEW' 'and makes a new one of the old'
end_server "$server"

machine "$managed"
kea moment "$(pool 200-2001:db8::2ff)" \
	'"valid-lifetime": 4, "preferred-lifetime": 4, "renew-timer": 1,'
ifup ip=dhcp6
expect 0 eth0 'a lease of 4 s'
nsenter -t "$cli" -n -m "$nbdboot" renew >"$work/renew.out" 2>&1 </dev/null &
renew=$!
servers="$servers $renew"
tail -n +1 -f --pid="$renew" "$kea_log" |
	grep -m 3 'DHCP6_PACKET_RECEIVED.*RENEW' >"$work/renewed" || true
check 'is renewed again and again by the process for that' \
	[ "$(wc -l <"$work/renewed")" = 3 ]
client_has 'cat /run/nbdboot/lease' "DHCPT1='2'" 'in half of its time, not earlier'
# as networkd does, at a moment when the renewal does not ask
until kill -STOP "$renew" && ! at "$cli" ss -Hlun | grep -q ':546 '; do
	kill -CONT "$renew" || break
	sleep 0.05
done
nsenter -t "$cli" -n socat -u UDP6-RECV:546,ipv6only - </dev/null \
	 >"$work/other" 2>&1 &
other=$!
servers="$servers $other"
until at "$cli" ss -Hlun | grep -q ':546 ' || ! runs "$other"; do :; done
kill -CONT "$renew" || true
status=0
wait "$renew" || status=$?
check 'another client of DHCPv6 gets the lease' [ "$status" = 0 ]
end_server "$server"

machine "$managed"
kea twice "$(pool 1-2001:db8::2)"
ifup ip=dhcp6
expect 0 'another machine has the address of the lease' \
	'an address that another machine has is declined'
client_has 'ip -6 addr show eth0' 'inet6 2001:db8::2/128' 'and the next one is taken'
asked 'DHCP6_PACKET_RECEIVED.*DECLINE' 'the server learns of it'
end_server "$server"

# ---- two servers ----

machine "$managed"
router=$srv
at "$router" ip addr del 2001:db8::1/64 dev v0
at "$router" ip link add br0 type bridge forward_delay 0 mcast_snooping 0
at "$router" ip link set v0 master br0
at "$router" ip link set br0 up
for place in a b; do
	namespace
	cli=$ns
	srv=$router
	cable "s$place" v0
	at "$router" ip link set "s$place" master br0
	srv=$cli
	at "$srv" ip addr add "2001:db8::$place/64" dev v0 nodad
	at "$srv" ip link set v0 up
	case $place in
	a)
		kea low "$(pool 300-2001:db8::3ff)"
		low=$server
		;;
	b)
		kea high "$(pool 400-2001:db8::4ff)" '"option-data": [
			{ "name": "preference", "data": "200",
				"always-send": true } ],'
		high=$server
		;;
	esac
done
srv=$router
namespace
cli=$ns
cable v5 eth0
at "$router" ip link set v5 master br0
# A machine takes what has come within a second: the other one is not asked before
# this one has offered.  (The unit tests have them in any order.)
kill -STOP "$low"
tail -n +1 -f --pid="$high" "$kea_log" | {
	grep -m 1 'DHCP6_PACKET_SEND.*ADVERTISE'
	kill -CONT "$low"
} >"$work/offered" &
ifup ip=dhcp6
wait $!
expect 0 eth0 'two servers'
client_has 'ip -6 addr show eth0' 'inet6 2001:db8::40' \
	'the one of the higher preference is taken'
kea_log=$work/low.log
until grep -q 'DHCP6_PACKET_RECEIVED.*SOLICIT' "$kea_log" || ! runs "$low"; do
	sleep 0.1
done
asked 'DHCP6_PACKET_RECEIVED.*SOLICIT' 'the other one was asked'
end_server "$high"
ifup ip=dhcp6
expect 0 eth0 'and when that is away'
client_has 'ip -6 addr show eth0' 'inet6 2001:db8::30' 'the other one'

# ---- a relay ----

machine "$managed"
relay=$srv
client=$cli
namespace
cli=$ns
cable r0 v0
srv=$cli
at "$relay" ip addr add 2001:db8:1::2/64 dev r0 nodad
at "$srv" ip addr add 2001:db8:1::1/64 dev v0 nodad
at "$srv" ip link set v0 up
at "$srv" ip -6 route add 2001:db8::/64 via 2001:db8:1::2
# relays send to an address of it
kea_also=', "v0/2001:db8:1::1"'
kea far "$(pool 500-2001:db8::5ff), \"relay\": { \"ip-addresses\": [ \"2001:db8::1\" ] }"
far=$server
srv=$relay
nsenter -t "$relay" -n -m dnsmasq -C /dev/null -k -p 0 --user=root \
	--log-facility=- --dhcp-relay=2001:db8::1,2001:db8:1::1 \
	>"$work/relay.log" 2>&1 </dev/null &
server=$!
servers="$servers $server"
listens -u 547 "$server" "$work/relay.log"
cli=$client
ifup ip=dhcp6
expect 0 eth0 'a server behind a relay'
client_has 'ip -6 addr show eth0' 'inet6 2001:db8::500/128' 'answers'
end_server "$server" "$far"

# ---- what cannot work ----

wait "$none_pid" || true
check 'a server without an address is named' grep -q \
	'eth0: the DHCPv6 server has no address for this machine (NoAddrsAvail)' \
	"$work/none.out"
finish
