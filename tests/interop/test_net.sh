#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The network code of a boot, in network namespaces, with dnsmasq and radvd at
# the other end of the cable.  TAP on standard output.
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"

nbdboot=$O/nbdboot

# machine [INTERFACE]: makes a machine and a server with a cable between them
machine()
{
	namespace
	srv=$ns
	namespace
	cli=$ns
	cable v0 "${1:-eth0}"
	at "$srv" ip addr add 192.0.2.1/24 dev v0
}

# dhcpd OPTION...: starts dnsmasq on v0 for 192.0.2.50 to .60
dhcpd()
{
	dhcpd_on v0 192.0.2.50 192.0.2.60 \
		--address=/server.test/192.0.2.1 "$@"
}

# nbd_at ADDRESS: serves an export there
nbd_at()
{
	nbdkit_at "$1" memory 1M
}

# ---- DHCP ----

machine
dhcpd --dhcp-option=17,"nbd:192.0.2.1:it's root" \
	--dhcp-option=15,example.org --dhcp-option=12,guest \
	--dhcp-option=option:domain-search,test,eng.test --dhcp-option=26,1400 \
	--dhcp-option=121,198.51.100.0/24,192.0.2.9,0.0.0.0/0,192.0.2.1
begin=$(date +%s%N)
ifup ip=dhcp
end=$(date +%s%N)
expect 0 eth0 'ip=dhcp gets a lease'
echo "# that took $(((end - begin) / 1000000)) ms"
client_has 'ip -4 addr show eth0' 'scope global eth0' 'the interface has its address'
client_has 'ip -4 addr show eth0' 'valid_lft forever' 'and keeps it'
client_has 'ip link show eth0' 'mtu 1400' 'the MTU is the one of the lease'
client_has 'ip route' 'default via 192.0.2.1' 'there is a default route'
client_has 'ip route' '198.51.100.0/24 via 192.0.2.9' 'there is a classless route'
client_has 'cat /run/nbdboot/resolv.conf' 'search test eng.test' \
	'the domains to search are those of option 119, before that of 15'
client_has 'cat /run/nbdboot/resolv.conf' 'nameserver 192.0.2.1' 'so is its DNS'
# shellcheck disable=SC2016 # for the inner shell
run at "$cli" sh -c '. /run/net-eth0.conf && echo "$DEVICE $PROTO $ROOTPATH|" \
	"$IPV4NETMASK $IPV4BROADCAST $IPV4GATEWAY $HOSTNAME $ROOTSERVER"'
expect 0 "eth0 dhcp nbd:192.0.2.1:it's root| 255.255.255.0 192.0.2.255\
 192.0.2.1 guest 192.0.2.1" 'a shell reads the file that klibc writes'
client_has 'cat /run/nbdboot/lease' "DHCPSERVER='192.0.2.1'" 'the lease is kept'
client_has 'cat /run/systemd/network/10-nbdboot-eth0.network' KeepConfiguration=yes \
	'systemd-networkd does not take the address away'
client_has 'cat /run/systemd/network/10-nbdboot-eth0.link' Name=eth0 \
	'udev leaves the interface its name'
client_has 'cat /run/NetworkManager/conf.d/10-nbdboot-eth0.conf' managed=0 \
	'NetworkManager leaves the interface alone'
client_has 'cat /run/systemd/resolved.conf.d/nbdboot.conf' DNS=192.0.2.1 \
	'systemd-resolved has its name server'
client_has 'cat /run/systemd/system/networking.service.d/nbdboot.conf' \
	EXCLUDE_INTERFACES=eth0 'ifupdown leaves the interface alone'

at "$cli" mount --bind /run/nbdboot/resolv.conf /etc/resolv.conf
nbd_at 192.0.2.1
run at "$cli" "$nbdboot" info nbd://server.test/
expect 0 1048576 'a name resolves by the DNS server of the lease'
run at "$cli" "$nbdboot" info nbd://server/
expect 0 1048576 'and so does a short one, by its domains'

: >"$work/dnsmasq.log"
ifup -r
# dnsmasq varies T1 a little
if [ "$status" = 0 ] && [ "$(cat "$work/out")" -gt 1500 ] &&
	[ "$(cat "$work/out")" -le 1800 ]; then
	ok 'the lease is renewed, the next time in half of its time'
else
	not_ok 'the lease is renewed, the next time in half of its time'
	show "$work/out"
fi
if grep -q DHCPACK "$work/dnsmasq.log" &&
	! grep -q DHCPDISCOVER "$work/dnsmasq.log"; then
	ok 'by one request to its server'
else
	not_ok 'by one request to its server'
	show "$work/dnsmasq.log"
fi
address=$(at "$cli" ip -4 -o addr show eth0)
ifup ip=eth0:dhcp nameserver=192.0.2.53 rd.peerdns=0
expect 0 eth0 'the network comes up a second time'
if [ "$(at "$cli" ip -4 -o addr show eth0)" = "$address" ]; then
	ok 'with the same address'
else
	not_ok 'with the same address'
fi
client_has 'cat /run/nbdboot/resolv.conf' 'nameserver 192.0.2.53' \
	'nameserver= is in resolv.conf'
if at "$cli" grep -q 192.0.2.1 /run/nbdboot/resolv.conf; then
	not_ok 'rd.peerdns=0 keeps the others out'
else
	ok 'rd.peerdns=0 keeps the others out'
fi
end_server "$server"

# no answer at first: the server starts when the second message was sent
machine
mkfifo "$work/steps"
nsenter -t "$cli" -n -m "$nbdboot" ifup -v ip=dhcp >"$work/out" \
	2>"$work/steps" &
pid=$!
exec 4<"$work/steps"
while read -r line <&4; do
	case $line in *'DHCP message 2'*) break ;; esac
done
dhcpd
cat <&4 >"$work/err" &
if wait "$pid"; then
	ok 'a server that is silent at first is asked again'
else
	not_ok 'a server that is silent at first is asked again'
	show "$work/err"
fi
exec 4<&-

# ---- several interfaces ----

machine eth1
cable dead eth0
at "$srv" ip link set dead down
dhcpd --dhcp-option=17,/räuber
ifup ip=dhcp
expect 0 eth1 'of two interfaces the one with a link gets the lease'
expect 0 'eth1: left out of what DHCP says: the root-path (17)' \
	'a root-path that cannot be one is named'
mac=$(at "$cli" ip -o link show eth1 | sed 's,.*ether \([^ ]*\).*,\1,')
at "$cli" ip addr flush dev eth1
ifup ip=dhcp "BOOTIF=01-$(echo "$mac" | tr : -)"
expect 0 eth1 'BOOTIF= names the interface'
at "$cli" ip addr flush dev eth1
ifup "ifname=boot0:$mac" ip=boot0:dhcp
expect 0 boot0 'ifname= renames the interface before it is used'
client_has 'ip -4 addr show boot0' 'inet 192.0.2.' 'which has the lease then'
at "$cli" ip addr flush dev boot0
ifup ip=eth0:dhcp ip=boot0:dhcp bootdev=boot0
expect 0 boot0 'bootdev= is not kept waiting by one without a link'

# ---- static addresses ----

machine
ifup ip=192.0.2.7::192.0.2.1:255.255.255.0:h:eth0:none:192.0.2.53 \
	rd.route=198.51.100.0/24:192.0.2.9
expect 0 eth0 'a static address needs no server'
client_has 'ip -4 addr show eth0' 'inet 192.0.2.7/24 brd 192.0.2.255' 'it is there'
client_has 'ip route' 'default via 192.0.2.1' 'so is its gateway'
client_has 'ip route' '198.51.100.0/24 via 192.0.2.9' 'and the route of rd.route='
client_has 'cat /run/systemd/network/10-nbdboot-eth0.network' \
	'Address=192.0.2.7/24' 'systemd-networkd gets the address'
client_has 'cat /run/net-eth0.conf' "IPV4DNS0='192.0.2.53'" 'and klibc its DNS'
ifup -r
expect 1 'lease' 'a static address has no lease to renew'
machine
ifup ip=192.0.2.7:192.0.2.1:192.0.2.1:255.255.255.255::eth0:none
expect 0 eth0 'a point-to-point address is accepted'
client_has 'ip route get 203.0.113.1' 'via 192.0.2.1 dev eth0' \
	'and reaches its gateway'
client_has 'ip route' '192.0.2.1 dev eth0' 'and its peer'

# ---- IPv6 ----

machine
at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
ifup 'ip=[2001:db8::5]::[2001:db8::1]:64:h:eth0:none:[2001:db8::53]'
expect 0 eth0 'a static IPv6 address is set'
nbd_at 2001:db8::1
run at "$cli" "$nbdboot" info 'nbd://[2001:db8::1]/'
expect 0 1048576 'and can be used at once'
client_has 'ip -6 route' 'default via 2001:db8::1' 'it has its gateway'
client_has 'cat /run/nbdboot/resolv.conf' 'nameserver 2001:db8::53' \
	'and its DNS'
client_has 'cat /run/net6-eth0.conf' "IPV6ADDR='2001:db8::5'" \
	'the file has it'

machine
at "$srv" ip addr add 2001:db8::5/64 dev v0 nodad
ifup 'ip=[2001:db8::5]:::64::eth0:none'
expect 1 'another machine has the address' 'a duplicate address is found out'

machine
at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
ifup ip=eth0:link6
expect 0 eth0 'link6 waits for the link-local address alone'

# router PREFIX: makes a machine and a router that advertises PREFIX
router()
{
	machine
	at "$srv" ip addr add "${1}1/64" dev v0 nodad
	cat >"$work/radvd.conf" <<-END
		interface v0 {
			AdvSendAdvert on;
			MinRtrAdvInterval 3;
			MaxRtrAdvInterval 4;
			prefix $1/64 { };
			RDNSS 2001:db8::53 2001:db8::54 fe80::53 { };
		};
	END
	at "$srv" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
	nsenter -t "$srv" -n -m \
		radvd -n -C "$work/radvd.conf" -p "$work/radvd.$srv" -m stderr \
		>"$work/radvd.log" 2>&1 </dev/null &
	servers="$servers $!"
}

router 2001:db8::
ifup ip=auto6
expect 0 eth0 'auto6 waits for a router'
[ "$status" = 0 ] || show "$work/radvd.log"
client_has 'ip -6 addr show eth0' 'inet6 2001:db8:' 'whose prefix is used'
client_has 'cat /run/nbdboot/resolv.conf' 'nameserver 2001:db8::54' \
	'and whose DNS servers are known'
client_has 'cat /run/nbdboot/resolv.conf' 'nameserver fe80::53%eth0' \
	'those on the link with their interface'
# QEMU's; RFC 3879, 4: to be treated as any other
router fec0::
ifup ip=auto6
expect 0 eth0 'a site-local prefix will do'

# ---- stateless DHCPv6 ----

# advertises TEXT...: makes a machine and a router that advertises TEXT, and ends
# the one before, which has the same PID file
radvd=''
advertises()
{
	if [ "$radvd" ]; then
		end_server "$radvd"
	fi
	machine
	at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
	radvd_on v0 "$@"
}

# dhcpd6 OPTION...: starts dnsmasq on v0, without router advertisements
dhcpd6()
{
	dhcpd --address=/server.test/2001:db8::1 \
		--dhcp-range=2001:db8::,static "$@"
}

# no_address IP SENTENCE: it is not in resolv.conf
no_address()
{
	if at "$cli" grep -q "$1" /run/nbdboot/resolv.conf; then
		not_ok "$2"
	else
		ok "$2"
	fi
}

prefix='prefix 2001:db8::/64 { };'
advertises 'AdvOtherConfigFlag on;' "$prefix" 'RDNSS 2001:db8::53 { };' \
	'DNSSL a.test b.test { };'
dhcpd6 --dhcp-option='option6:dns-server,[2001:db8::1]' \
	--dhcp-option=option6:domain-search,example.org,other.test \
	--dhcp-option='option6:bootfile-url,nbd://[2001:db8::1]/root'
ifup ip=auto6
expect 0 eth0 'auto6 with the flag O of a router'
client_has 'cat /run/nbdboot/resolv.conf' 'search example.org other.test' \
	'takes the domains of stateless DHCPv6'
run at "$cli" grep nameserver /run/nbdboot/resolv.conf
if [ "$(cat "$work/out")" = 'nameserver 2001:db8::1
nameserver 2001:db8::53' ]; then
	ok 'and its DNS server, before that of the router'
else
	not_ok 'and its DNS server, before that of the router'
	show "$work/out"
fi
client_has 'cat /run/net6-eth0.conf' "ROOTPATH='nbd://[2001:db8::1]/root'" \
	'the boot file is a root-path'
at "$cli" mount --bind /run/nbdboot/resolv.conf /etc/resolv.conf
nbd_at 2001:db8::1
run at "$cli" "$nbdboot" info nbd://server.test/
expect 0 1048576 'a name resolves by the DNS server of the reply'
ifup ip=auto6 rd.peerdns=0
expect 0 eth0 'the network comes up a second time'
no_address '2001:db8::1$' 'rd.peerdns=0 keeps the DNS server out'
end_server "$server"

advertises 'AdvManagedFlag on;' "$prefix"
dhcpd6 --dhcp-option='option6:dns-server,[2001:db8::54]' \
	--dhcp-option=option6:bootfile-url,tftp://192.0.2.1/boot.efi
ifup ip=auto6
expect 0 eth0 'the flag M does with a prefix'
client_has 'cat /run/nbdboot/resolv.conf' 'nameserver 2001:db8::54' \
	'it asks stateless DHCPv6, too'
client_has 'cat /run/net6-eth0.conf' "ROOTPATH=''" \
	'a boot file that is not on NBD is left out'
end_server "$server"

machine
at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
dhcpd --enable-ra --dhcp-range=2001:db8::,ra-stateless \
	--dhcp-option=option6:domain-search,example.net
ifup ip=auto6
expect 0 eth0 'dnsmasq as router and as server of stateless DHCPv6'
client_has 'cat /run/nbdboot/resolv.conf' 'search example.net' 'answers'
end_server "$server"

advertises 'AdvOtherConfigFlag on;' "$prefix" 'RDNSS 2001:db8::53 { };' \
	'DNSSL a.test b.test { };'
ifup ip=auto6
expect 0 'no DHCPv6 server answered, but a router says that there is one' \
	'the flag O without a server is reported'
client_has 'cat /run/nbdboot/resolv.conf' 'nameserver 2001:db8::53' \
	'and the boot goes on with the DNS server of the router'
client_has 'cat /run/nbdboot/resolv.conf' 'search a.test b.test' 'and its domains'

# ---- what cannot work ----

# in the background: each lasts until its attempts are over
machine
fail_at()
{
	status=0
	at "$cli" "$nbdboot" ifup "$2" >"$work/$1.out" 2>&1 </dev/null ||
		status=$?
	echo "$status" >"$work/$1.status"
}
fail_at missing ip=eth7:dhcp &
missing=$!
fail_at silent ip=eth0:dhcp &
silent=$!
advertises 'AdvManagedFlag on;'
fail_at managed ip=eth0:auto6 &
managed=$!

# What a switch port sends that demands 802.1X: EAPOL, an EAP request for the
# identity.  Again and again, as the interface comes up meanwhile.
# shellcheck disable=SC2317 # called in the background
demand_login()
{
	while kill -0 "$1" 2>/dev/null; do
		printf '\001\200\302\000\000\003\002\000\000\000\000\001%b%048d' \
			'\0210\0216\002\000\000\005\001\001\000\005\001' 0 |
			at "$srv" socat -u - INTERFACE:v0
		sleep 1
	done
}
machine
fail_at login ip=eth0:dhcp &
login=$!
demand_login "$login" >"$work/login.log" 2>&1 &
machine
fail_at login6 ip=eth0:auto6 &
login6=$!
demand_login "$login6" >"$work/login6.log" 2>&1 &
machine
at "$srv" ip link set v0 down
fail_at dead ip=eth0:dhcp &
dead=$!
machine
cable v1 eth1
dhcpd
half()
{
	ASAN_OPTIONS=detect_leaks=0 at "$cli" strace -e trace=poll \
		-o "$work/half.trace" "$nbdboot" ifup ip=eth0:dhcp \
		ip=eth1:dhcp >"$work/half.out" 2>&1 </dev/null
}
half &
half=$!
failed_with()
{
	status=$(cat "$work/$1.status")
	cp "$work/$1.out" "$work/out"
	: >"$work/err"
	expect 1 "$2" "$3"
}
at "$cli" ip link add eth0.7 type veth peer name other
ifup ip=192.0.2.70:::24::eth0:none vlan=eth0.7:eth0
expect 0 'add the vlan eth0.7: File exists' 'a VLAN that cannot be is named'
ifup ip=eth0:bootp
expect 2 'bootp is not in this program' 'what is not built is refused at once'
expect 2 'which has dhcp, dhcp6, auto6' 'with what does instead'
wait "$missing" "$dead" "$silent" "$managed" "$login" "$login6"
failed_with missing 'there is no eth7' 'an interface that is missing is named'
failed_with missing 'There is: eth0' 'with those that are there'
failed_with dead 'no link on eth0' 'so is one without a link'
failed_with silent 'no DHCP server answered' 'silence ends with a message'
failed_with managed 'a router leaves addresses to it (flag M)' \
	'so are addresses that only DHCPv6 has'
for way in login login6; do
	failed_with $way 'the switch port demands a login by 802.1X' \
		"so is a port with 802.1X, $way"
	[ "$status" = 1 ] || show "$work/$way.log"
done
status=0
wait "$half" || status=$?
cp "$work/half.out" "$work/out"
expect 0 'eth1: no DHCP server answered' \
	'of two interfaces one goes on without the other'
# a handful for each message and event
polls=$(grep -c poll "$work/half.trace")
if [ "$polls" -gt 0 ] && [ "$polls" -lt 200 ]; then
	ok 'and sleeps while it waits for it'
else
	not_ok "and sleeps while it waits for it: $polls times poll()"
fi
finish
