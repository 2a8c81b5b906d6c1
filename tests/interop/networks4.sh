# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Networks of IPv4, for test_networks.sh: is_NAME sets what servers say, has_NAME
# checks what a machine has then.  Sourced.
# shellcheck disable=SC2034,SC2154
networks4='plain routes routes_ms search long host32 host31 mtu_576 mtu_9000
	mtu_68 relay deaf host_70 domains_15 vendor proxy proxy_all nak_beside
	nak_foreign nak_renew zero_times bootif_none aaaa_nx alias cut lies'
scripted4='nak_once ack_other ack_nobody ack_lies zero_lease parts'
# with servers that no check has, or much the same as another
more4='relay_isc zero_lease bootif_empty bootif_type bootif_mac'
slow4='nak pxe'

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

# ---- names and times ----

# longer than the kernel's 64 bytes
is_host_70()
{
	label=$(printf '%060d' 0)
	says_host=$label.example
}

has_host_70()
{
	wants 'cat /run/net-eth0.conf' "HOSTNAME='$label'"
}

# option 15 is for one (RFC 2132), and has several where 119 came late
is_domains_15()
{
	says_domain='left.example right.example'
}

has_domains_15()
{
	wants "$resolv" 'search left.example right.example'
}

# times of a lease that no client can keep: they are those of RFC 2131, 4.4.5
is_zero_times()
{
	cannot dnsmasq 'it gives T1 and T2 of its own'
	says_t1=0
	says_t2=0
}

has_zero_times()
{
	wants "$lease" "DHCPT1='1800'"
	wants "$lease" "DHCPT2='3150'"
	renews
	if [ "$status" != 0 ] || [ "$(cat "$work/out")" -le 1700 ]; then
		wrong "the next renewal: $(cat "$work/out" "$work/err")"
	fi
}

# nor the lease itself: it is taken for an hour
is_zero_lease()
{
	kind=zero
	says_lease=0
	is_zero_times
	cannot dnsmasq 'it gives no lease below two minutes'
}

has_zero_lease()
{
	has_zero_times
	wants "$lease" "DHCPLEASETIME='3600'"
}

# RFC 3396: options in parts, some of them where the boot file is named
is_parts()
{
	kind=parts
}

has_parts()
{
	wants "$lease" "ROOTPATH='nbd://192.0.2.1/root'"
	wants "$resolv" 'search eng.example.org ops.example.org'
}

# a root-path for machines that say that they are ours
is_vendor()
{
	says_ours=nbd://192.0.2.1/ours
}

has_vendor()
{
	wants "$lease" "ROOTPATH='$says_ours'"
}

# ---- several servers, and those that refuse ----

# dnsmasq beside the server, for PXE alone: it listens at port 4011, too
is_proxy()
{
	place=switched
	before=proxy_second
}

proxy_second()
{
	nsenter -t "$second" -n -m dnsmasq -C /dev/null -k -p 0 -i v0 \
		--bind-interfaces --user=root --log-facility=- --log-dhcp \
		--dhcp-range=192.0.2.0,proxy \
		--pxe-service=x86PC,Boot,pxelinux >"$work/second.log" 2>&1 \
		</dev/null &
	others="$others $!"
	servers="$servers $!"
	on "$second" listens -u 4011 "$!" "$work/second.log"
}

has_proxy()
{
	has_host24
}

# one that answers everybody: no address is offered
is_proxy_all()
{
	place=switched
	kind=pxe
	before=script_second
}

script_second()
{
	on "$second" start_script
}

has_proxy_all()
{
	has_host24
	sent 1 OFFER
}

is_pxe()
{
	kind=pxe
	fails='only one that serves PXE beside another'
}

has_pxe()
{
	sent 4 OFFER
}

# two machines ask at once, and are offered the same address
is_nak_once()
{
	kind=nak_once
}

has_nak_once()
{
	wants 'ip -4 addr show eth0' '192.0.2.200/24'
	sent 1 NAK
}

# it refuses whatever it offers: a message, and no flood
is_nak()
{
	kind=nak
	fails='eth0: the DHCP server 192.0.2.9 refuses what it offers (NAK)'
}

has_nak()
{
	sent 4 NAK
	[ "$(wc -l <"$work/script.log")" -lt 40 ] ||
		wrong "a flood of $(wc -l <"$work/script.log") messages"
}

# the same beside the server, which is slower at first
is_nak_beside()
{
	place=switched
	kind=nak
	before=nak_second
}

nak_second()
{
	script_second
	kill -STOP "$server"
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'tail -n +1 -f --pid="$1" "$2" | {
		grep -m 4 NAK
		kill -CONT "$3"
	}' sh "$script" "$work/script.log" "$server" \
		>"$work/naks" 2>&1 </dev/null &
	others="$others $!"
	servers="$servers $!"
}

has_nak_beside()
{
	has_host24
	sent 4 NAK
}

# it refuses what others have offered: only the server that was asked may
is_nak_foreign()
{
	place=switched
	kind=nak_others
	before=script_second
}

has_nak_foreign()
{
	has_host24
	sent 1 NAK
}

# the addresses of the network are others now: the root keeps the old one
is_nak_renew()
{
	:
}

has_nak_renew()
{
	end_server "$server"
	says_first=192.0.2.100
	says_last=192.0.2.109
	$start
	renews
	[ "$status" = 1 ] || wrong "renewed: $(cat "$work/out")"
	case $column in
	dnsmasq) says 'the DHCP server refuses to renew the lease (DHCPNAK)' ;;
	# they are silent about an address that they do not know
	*) says 'eth0: no DHCP server answered' ;;
	esac
	has_host24
}

# another server confirms than the one that was asked, or nobody by name
is_ack_other()
{
	kind=id_other
}

has_ack_other()
{
	wants 'ip -4 addr show eth0' '192.0.2.200/24'
	wants "$lease" "DHCPSERVER='192.0.2.8'"
	renews
	[ "$status" = 0 ] || wrong "$(cat "$work/err")"
}

is_ack_nobody()
{
	kind=id_none
}

has_ack_nobody()
{
	wants 'ip -4 addr show eth0' '192.0.2.200/24'
	wants "$lease" "DHCPSERVER='192.0.2.9'"
}

# with another address than the one that was asked for
is_ack_lies()
{
	kind=id_lies
}

has_ack_lies()
{
	has_ack_nobody
}

# ISC's relay
is_relay_isc()
{
	is_relay
	relay_of=isc
}

has_relay_isc()
{
	has_relay
}

# ---- BOOTIF= ----

# of a menu without it, or of a loader that found no card
is_bootif_none()
{
	words=ip=BOOTIF:dhcp
}

has_bootif_none()
{
	has_host24
}

is_bootif_empty()
{
	words='ip=dhcp BOOTIF='
}

has_bootif_empty()
{
	has_host24
}

is_bootif_type()
{
	words='ip=BOOTIF:dhcp BOOTIF=01-'
}

has_bootif_type()
{
	has_host24
}

# of two cards the other one has no server
is_bootif_mac()
{
	before=two_cards
}

two_cards()
{
	cable v1 eth1
	mac=$(at "$cli" ip -o link show eth0 | sed 's,.*ether \([^ ]*\).*,\1,')
	words="ip=BOOTIF:dhcp BOOTIF=01-$(echo "$mac" | tr : -)"
}

has_bootif_mac()
{
	has_host24
}

# ---- name servers, of which DHCP tells ----

# names KIND ADDRESS...: dns.c there
names()
{
	[ -p "$work/open" ] || {
		mkfifo "$work/open"
		exec 7<>"$work/open"
	}
	while [ $# -gt 0 ]; do
		at "$srv" ip addr add "$2/24" dev v0
		nsenter -t "$srv" -n "$work/dns" "$1" "$2" <"$work/open" \
			>"$work/dns.log" 2>&1 &
		others="$others $!"
		servers="$servers $!"
		until at "$srv" ss -Hlnu | grep -q "$2:53 "; do
			kill -0 "$!" || die "no dns: $(cat "$work/dns.log")"
		done
		shift 2
	done
}

# resolves: the address of a disk, which is the machine's own
resolves()
{
	at "$cli" mount --bind /run/nbdboot/resolv.conf /etc/resolv.conf
	disk_at "$cli" 127.0.0.1
	wants "$nbdboot info nbd://disk.example/" 1048576
}

# RFC 4074, 4.2: the name has an A alone, and AAAA is "no such name"
is_aaaa_nx()
{
	says_dns=192.0.2.13
	before='names nxdomain-aaaa 192.0.2.13'
}

has_aaaa_nx()
{
	resolves
}

# twelve aliases
is_alias()
{
	says_dns=192.0.2.13
	before='names chain 192.0.2.13'
}

has_alias()
{
	resolves
}

# an answer that is cut: the whole is had by TCP
is_cut()
{
	says_dns=192.0.2.13
	before='names large 192.0.2.13'
}

has_cut()
{
	resolves
}

# of two servers the first knows no names
is_lies()
{
	says_dns=192.0.2.12,192.0.2.13
	before='names nxdomain 192.0.2.12 right 192.0.2.13'
}

has_lies()
{
	resolves
}
