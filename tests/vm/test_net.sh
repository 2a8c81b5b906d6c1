#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that get their address from QEMU's DHCP server and, if we are root,
# from servers in network namespaces.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

# begin WORDS [QEMU-ARGUMENT...]: starts a machine
begin()
{
	words=$1
	shift
	vm_start "$work/initramfs" \
		"loglevel=4 nbdboot.debug nbdboot.timeout=100 $words" "$@"
}

boot()
{
	begin "$1"
	vm_end
}

find_kernel
root_tree "$tree" guest/net.sh
copy_program "$tree" socat
ext4_of "$tree" "$work/ext4"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci e1000 ext4 8021q ipv6?' |
	sed 's/^/# /'

# ---- QEMU's network ----

serve 0 file "$work/ext4"
root=nbd://$host:$port/

in_qemu boot "root=$root ip=dhcp"
ended 'ip=dhcp gets a lease' '^guest: eth0 10.0.2.15/24 forever$' \
	'^guest: route 10.0.2.2 eth0$' "^guest: IPV4DNS0='10.0.2.3'$" \
	"^guest: DHCPSERVER='10.0.2.2'$"
vm_nic=e1000,romfile=
in_qemu boot "root=$root ip=::::guest::dhcp BOOTIF=01-52-54-00-12-34-56"
ended 'another card, named by its MAC' '^guest: eth0 10.0.2.15/24 forever$' \
	'^guest: host guest$'
vm_nic=

# ---- networks in namespaces ----

why=''
[ "$(id -u)" = 0 ] || why='network namespaces need root'
[ -c /dev/net/tun ] || why='there is no /dev/net/tun'
if [ "$why" ]; then
	ok "machines on networks of ours # SKIP $why"
	finish
	exit
fi
# shellcheck source=tests/netns.sh
. "$here/../netns.sh"
# shellcheck source=tests/vm/lan.sh
. "$here/lan.sh"

vm_cpus=1
vm_memory=256
lan_up
export_on 10809 --filter=exportname file "$work/ext4" exportname=root \
	exportname-strict=true
export_on 10810 file "$work/ext4"

# ---- the root-path, in each form ----

# path ROOT-PATH WORDS
path()
{
	lan_dhcpd ${1:+--dhcp-option=17,"$1"}
	boot "$2"
	lan_stop
}

vm_taps=t0
path nbd://192.0.2.1/root root=dhcp
ended 'root=dhcp, and a URI is the root-path' \
	'^guest: eth0 192\.0\.2\.[0-9]*/24 forever$' \
	'^guest: server nbd://192.0.2.1/root$'
ended 'the process that renews the lease lets go of the root at the end' \
	'^guest: renew Rss' 'nbdboot: all is unmounted and disconnected$'
path '' root=nbd://192.0.2.1/root
ended 'a server with an IPv4 address wants DHCP without ip=, too' \
	'^guest: eth0 192\.0\.2\.[0-9]*/24 forever$'
path nbd:192.0.2.1:root:ext4:noatime 'root=/dev/root netroot=dhcp'
ended 'netroot=dhcp, in the form of dracut, by name' \
	'^guest: server nbd://192.0.2.1/root$' \
	'^guest: root /dev/nbd0 ext4 ro,noatime'
path 192.0.2.1 'nbdroot=dhcp,root,nbd1'
ended 'nbdroot=dhcp, which takes the server alone from DHCP' \
	'^guest: server nbd://192.0.2.1/root$' '^guest: root /dev/nbd1 '
path '[2001:db8::1]:10809/root' 'nbdroot=dhcp root=/dev/nbd3 ip=dhcp ip=auto6'
ended 'nbdroot=dhcp, and an IPv6 server is the root-path' \
	'^guest: server nbd://\[2001:db8::1\]/root$' '^guest: root /dev/nbd3 '

# ---- a power cut ----

# qemu-nbd serves one client, and does not learn that the first has no power
nsenter -t "$srv" -n qemu-nbd -p 10811 -t -r -f raw "$work/ext4" \
	>"$work/qemu-nbd.log" 2>&1 </dev/null &
nbdkits="$nbdkits $!"
listens -t 10811 "$!" "$work/qemu-nbd.log"
words='root=nbd://192.0.2.1:10811/ ip=192.0.2.40:::255.255.255.0::eth0:off'
begin "$words"
vm_wait 'guest: *' || true
vm_stop
boot "$words"
ended 'a machine that lost its power gets its connection back' \
	'^guest: server nbd://192.0.2.1:10811/$'

# ---- a second server ----

# Another server on br0, which offers other addresses.
second_dhcpd()
{
	first=$srv
	srv=$other
	dhcpd_log=$work/second.log
	dhcpd_on eth0 192.0.2.150 192.0.2.199 "$@"
	second_dhcpd=$server
	srv=$first
	dhcpd_log=
}

# asked LOG MESSAGE SENTENCE: the server of LOG received MESSAGE
asked()
{
	if grep -q "DHCP$2(" "$1"; then
		ok "$3"
	else
		not_ok "$3"
		show "$1"
	fi
}

namespace
other=$ns
cli=$other
cable p2 eth0
at "$srv" ip link set p2 master br0
at "$other" ip addr add 192.0.2.2/24 dev eth0
at "$other" ip link set eth0 up

# The slow server has no root for anybody.
lan_dhcpd --dhcp-option=17,nbd://192.0.2.1/root
second_dhcpd --dhcp-reply-delay=2 --dhcp-option=17,nbd://192.0.2.2/wrong
boot root=dhcp
ended 'of two servers, the one that is first to offer is taken' \
	'^guest: eth0 192\.0\.2\.[5-9][0-9]/24 forever$' \
	'^guest: server nbd://192.0.2.1/root$'
asked "$work/second.log" DISCOVER 'the other one was asked, too'
lan_stop
second_dhcpd --dhcp-reply-delay=1 --dhcp-option=17,nbd://192.0.2.1/root
server=$lan_dhcpd
lan_stop
lan_dhcpd
boot root=dhcp
ended 'of two servers, the one that is first with a root-path is taken' \
	'^guest: eth0 192\.0\.2\.1[5-9][0-9]/24 forever$' \
	'^guest: server nbd://192.0.2.1/root$'
asked "$work/dnsmasq.log" OFFER 'the other one made an offer, too'
lan_stop
end_server "$second_dhcpd"

# No answer to the first message.
begin 'netroot=dhcp nbdboot.renew=0'
vm_wait '*DHCP message 2*' || true
lan_dhcpd --dhcp-option=17,nbd:192.0.2.1:10810
vm_end
ended 'a server that is silent at first is asked again' 'DHCP message 2' \
	'^guest: eth0 192\.0\.2\.[0-9]*/24 forever$'
ended 'netroot=dhcp, in the form of dracut, by port' \
	'^guest: server nbd://192.0.2.1:10810/$'
ended 'nbdboot.renew=0 leaves the lease alone' '!guest: renew'
lan_stop

lan_dhcpd --dhcp-reply-delay=3 --dhcp-option=17,nbdroot=192.0.2.1,root,nbd2
boot root=dhcp
ended 'a server that takes 3 s to offer is waited for' 'DHCP message 2' \
	'^guest: eth0 192\.0\.2\.[0-9]*/24 forever$'
ended 'root=dhcp, in the form of Debian, with a device' \
	'^guest: server nbd://192.0.2.1/root$' '^guest: root /dev/nbd2 '
lan_stop

mkfifo "$work/refused"
liar nak
begin root=dhcp
read -r word <"$work/refused"
lan_stop
lan_dhcpd --dhcp-option=17,nbd://192.0.2.1/root
vm_end
ended "after a request is $word another address is asked for" \
	'^guest: eth0 192\.0\.2\.[5-9][0-9]/24 forever$' \
	'!192\.0\.2\.66/' '^guest: server nbd://192.0.2.1/root$'
asked "$work/dnsmasq.log" DISCOVER 'by a new discovery'
lan_stop

liar garbage
boot root=dhcp
ended 'a good answer is found among bad ones' \
	'^guest: eth0 192\.0\.2\.66/24 forever$' \
	'^guest: server nbd://192.0.2.1/root$'
ended 'and its bad options are left out' '^guest: mtu eth0 1500$' \
	'!guest: route' '^guest: host (none)$' "^guest: DNSDOMAIN=''\$" \
	'^guest: nameserver 192.0.2.1$' "^guest: IPV4DNS1='0.0.0.0'\$"
lan_stop

# ---- the lease is renewed ----

# acks N: waits until the server's log has N of them
acks()
{
	until [ "$(grep -c DHCPACK "$work/dnsmasq.log")" -ge "$1" ]; do
		kill -0 "$vm" || return 1
		sleep 0.1
	done
}

# RSS_MAX: KiB of locked memory: the program itself, and 66 beside it
RSS_MAX=$((66 + $(wc -c <"$nbdboot") / 1024))

dhcpd_lease=120
lan_dhcpd --dhcp-option=17,nbd://192.0.2.1/root --dhcp-option=option:T1,4
dhcpd_lease=
begin "root=dhcp test.stay"
vm_wait 'guest: end*' || true
ended 'a process that renews the lease lives on in the real system' \
	'^guest: renew Rss' '^guest: renew open .*kmsg$'
begin=$(grep -c DHCPACK "$work/dnsmasq.log")
found=$(grep -c DHCPDISCOVER "$work/dnsmasq.log")
if acks $((begin + 2)) &&
	[ "$(grep -c DHCPDISCOVER "$work/dnsmasq.log")" = "$found" ]; then
	ok 'the server sees it renewed, again and again'
else
	not_ok 'the server sees it renewed, again and again'
	show "$work/dnsmasq.log"
fi
rss=$(sed -n 's/^guest: renew Rss: //p' "$work/log")
check "it takes at most $RSS_MAX KiB: $rss" [ "${rss:-9999}" -le $RSS_MAX ]
lan_guest=$(sed -n 's,^guest: eth0 \([0-9.]*\)/24 .*,\1,p' "$work/log")
at "$srv" socat -u /dev/null "TCP:$lan_guest:9"
vm_end
ended 'what was renewed is written down' \
	'^guest: /run/nbdboot/lease: DHCPBOUND=' \
	'^guest: /run/net-eth0.conf: DHCPBOUND='
ended 'it leaves the lease to another DHCP client' \
	'^guest: renew: another DHCP client has the' '^guest: alone$'
lan_stop

# ---- two cards ----

lan_dhcpd --dhcp-option=tag:br0,17,nbd://192.0.2.1/root \
	--dhcp-option=tag:br1,17,nbd://198.51.100.1/root

# as_fast SENTENCE: beside the lease of eth1 the network took no longer than the start
# of the kernel, which a busy host stretches as well.  To wait for the other card takes
# many times that, and a frame that is lost is in the time of the lease.
as_fast()
{
	# shellcheck disable=SC2016 # for awk
	check "$1" awk '/^guest: step kernel: / { kernel = $5 }
		/^guest: step network: / { took += $5 - $4; networks++ }
		/^guest: step lease eth1: / { took -= $6 - $5; leases++ }
		END {
			print "# beside the lease:", took, "ms, the kernel:", kernel
			exit !(networks && leases && took <= kernel)
		}' "$work/log"
}

vm_taps='t2 t0'
boot 'root=dhcp ip=dhcp'
ended 'of two cards, the one where somebody answers gets the lease' \
	'^guest: eth1 192\.0\.2\.[0-9]*/24 forever$' '!guest: eth0 ' \
	'^guest: server nbd://192.0.2.1/root$'
as_fast 'the other one, where nobody answers, costs no time'
ended 'and is left down, with no file' '^guest: down eth0$' \
	'^guest: file 10-nbdboot-eth1.link$' '!guest: file .*eth0'

mkfifo "$work/monitor.in" "$work/monitor.out"
in_qemu begin 'root=dhcp ip=dhcp' -S -chardev "pipe,id=monitor,path=$work/monitor" \
	-mon monitor
printf '%s\n' 'set_link t2 off' cont >"$work/monitor.in"
vm_end
ended 'of two cards, the one with a cable gets the lease' \
	'^guest: eth1 192\.0\.2\.[0-9]*/24 forever$' '!guest: eth0 ' \
	'^guest: carrier eth0 0$' '^guest: server nbd://192.0.2.1/root$'
as_fast 'the other one, without a cable, costs no time'
ended 'and is left down, too' '^guest: down eth0$'

vm_taps='t0 t1'
boot "root=dhcp ip=dhcp BOOTIF=01-$(echo "${vm_mac}1" | tr : -)"
ended 'BOOTIF= names the second of two cards' '!guest: eth0 ' \
	'^guest: eth1 198\.51\.100\.[0-9]*/24 forever$' \
	'^guest: server nbd://198.51.100.1/root$'
boot "root=dhcp ifname=lan:${vm_mac}1 ip=lan:dhcp"
ended 'ifname= renames the second of two cards' '!guest: eth0 ' \
	'^guest: lan 198\.51\.100\.[0-9]*/24 forever$' \
	'^guest: server nbd://198.51.100.1/root$'
boot 'root=dhcp ip=eth0:dhcp ip=eth1:dhcp bootdev=eth1'
ended 'the root-path of the interface of bootdev= counts' \
	'^guest: eth1 198\.51\.100\.[0-9]*/24 forever$' \
	"^guest: DEVICE='eth1'\$" '^guest: server nbd://198.51.100.1/root$'

# ---- IPv6 ----

vm_taps=t0
boot 'root=nbd://[2001:db8::1]/root'
ended 'an IPv6 address comes by router advertisement' \
	'^guest: eth0 2001:db8::.*/64' \
	'^guest: nameserver fe80:.*:1%eth0$' \
	'^guest: server nbd://\[2001:db8::1\]/root$'
boot 'root=nbd://[fe80::1%25eth0]/root'
ended 'a link-local address and its zone are enough' \
	'!guest: eth0 192' '^guest: server nbd://\[fe80::1%25eth0\]/root$'

lan_stop
dhcpd_on br0 192.0.2.50 192.0.2.99 --enable-ra \
	--dhcp-range=2001:db8::100,2001:db8::1ff,64,3600 \
	--dhcp-option='option6:bootfile-url,nbd://[2001:db8::1]/root'
boot 'root=dhcp6'
ended 'root=dhcp6: an address by DHCPv6, and the root with it' \
	'!guest: eth0 192' '^guest: eth0 2001:db8::1[0-9a-f]*/128 forever$' \
	'^guest: server nbd://\[2001:db8::1\]/root$' '^guest: renew Rss' \
	'nbdboot: all is unmounted and disconnected$'
# the machine waits for an answer, but not for ever
while at "$srv" ss -Huln 'sport = :547' | awk '$2 > 0 { n++ } END { exit !n }'; do
	runs "$server" || die 'dnsmasq has ended'
done
lan_stop
asked "$work/dnsmasq.log" RELEASE 'the lease is given back when the root is'
# shellcheck disable=SC2119 # no more options
lan_dhcpd

# ---- a VLAN ----

switch_up
vm_taps=t3
boot 'root=nbd://203.0.113.1/root vlan=eth0.7:eth0 ip=eth0.7:dhcp'
ended 'what carries a VLAN stays up and keeps its name' \
	'!guest: down eth0$' '^guest: file 10-nbdboot-eth0.link$' \
	'!guest: file 10-nbdboot-eth0.network'
ended 'a lease in a VLAN, where the root is' '!guest: eth0 ' \
	'^guest: eth0.7 203\.0\.113\.[5-9][0-9]/24 forever$' \
	'^guest: server nbd://203.0.113.1/root$'
boot "root=nbd://203.0.113.1/root vlan=vlan0007:eth0 \
ip=203.0.113.7::203.0.113.1:255.255.255.0::vlan0007:none"
ended 'a static address in a VLAN, by another name' '!guest: eth0 ' \
	'^guest: vlan0007 203\.0\.113\.7/24 forever$' \
	'^guest: server nbd://203.0.113.1/root$'
switch_down
finish
