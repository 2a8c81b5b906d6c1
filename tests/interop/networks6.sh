# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Networks of IPv6, for test_networks.sh: is_NAME sets what servers say, has_NAME
# checks what a machine has then.  Sourced.
# shellcheck disable=SC2034,SC2154
networks6='managed6 stateless6'
routers6=router6
# each waits for routers, and test_dhcp6.sh has some of them
more6='params6 params_o6 vendor6 vendor_o6 zero6 prefer6 relay6 relay6_isc
	none6 moment6'
more_routers6='mtu6_9000 card6_9000'

on6=v0
router6()
{
	# shellcheck disable=SC2086 # words on purpose
	radvd_on "$on6" "$@"
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

has_router6()
{
	wants 'ip -6 addr show eth0' '/64 scope global'
	wants 'cat /proc/sys/net/ipv6/conf/eth0/mtu' 1280
	wants "$resolv" 'nameserver 2001:db8::51'
	wants "$resolv" 'nameserver 2001:db8::52'
	wants "$resolv" 'search a.example b.example'
}

# ---- boot files and vendors ----

# a loader for the firmware; its second parameter is the root-path
is_params6()
{
	is_managed6
	says_url='tftp://[2001:db8::1]/boot.efi'
	says_params="quiet $url"
}

has_params6()
{
	has_managed6
}

is_params_o6()
{
	is_params6
	is_stateless6
}

has_params_o6()
{
	has_stateless6
}

# a root-path for machines that say that they are ours
is_vendor6()
{
	is_managed6
	says_url=''
	says_ours=$url
}

has_vendor6()
{
	has_managed6
}

is_vendor_o6()
{
	is_vendor6
	is_stateless6
}

has_vendor_o6()
{
	has_stateless6
}

# T1 and T2 are left to the client
is_zero6()
{
	is_managed6
	says_zero=1
	cannot dnsmasq 'it gives T1 and T2'
}

has_zero6()
{
	has_managed6
	t1=$(at "$cli" sed -n "s/^DHCPT1='\(.*\)'/\1/p" /run/nbdboot/lease)
	[ "$t1" -ge 1000 ] || wrong "T1 is $t1"
}

# no time at all: that is no address
is_moment6()
{
	is_managed6
	says_life=0
	fails='the DHCPv6 server has no address for this machine (NoAddrsAvail)'
	cannot dnsmasq 'it gives no lease below two minutes'
}

has_moment6()
{
	:
}

# ---- several servers, and a relay ----

# Kea beside the server, of a lower preference
is_prefer6()
{
	place=switched
	before=lower6
	words=ip=auto6
	says_best=1
}

lower6()
{
	kept_server=$server
	dhcpd_log=$work/second.log
	says_pool='2001:db8::300 2001:db8::3ff'
	says_best=''
	on "$second" start6_kea
	dhcpd_log=$work/server.log
	others="$others $server"
	server=$kept_server
	on "$second" managed6
}

has_prefer6()
{
	has_managed6
	grep -q 'RECEIVED.*SOLICIT' "$work/second.log" ||
		wrong 'the other was not asked'
}

is_relay6()
{
	place=behind_relay6
	before=managed_relay6
	words=ip=auto6
	says_behind=2001:db8::1
}

managed_relay6()
{
	on6=down0
	on "$relay" managed6
	on6=v0
}

has_relay6()
{
	has_managed6
}

# ISC's relay
is_relay6_isc()
{
	is_relay6
	relay_of=isc
}

has_relay6_isc()
{
	has_relay6
}

# all addresses are given
is_none6()
{
	is_managed6
	says_pool=''
	fails='the DHCPv6 server has no address for this machine (NoAddrsAvail)'
}

has_none6()
{
	:
}

# ---- routers ----

# more than the card has: its own MTU stays
is_mtu6_9000()
{
	before=jumbo6
	words=ip=auto6
}

jumbo6()
{
	at "$srv" ip link set v0 mtu 9000
	router6 'AdvLinkMTU 9000; prefix 2001:db8::/64 { };'
}

has_mtu6_9000()
{
	wants 'ip -6 addr show eth0' '/64 scope global'
	wants 'ip link show eth0' 'mtu 1500 '
	wants 'cat /proc/sys/net/ipv6/conf/eth0/mtu' 1500
}

# a card that has it
is_card6_9000()
{
	before=jumbo6
	words=ip=eth0:auto6:9000
}

has_card6_9000()
{
	wants 'ip -6 addr show eth0' '/64 scope global'
	wants 'cat /proc/sys/net/ipv6/conf/eth0/mtu' 9000
}
