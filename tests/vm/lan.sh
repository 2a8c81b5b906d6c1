# shellcheck shell=sh disable=SC2154,SC2034
# SPDX-License-Identifier: BSD-2-Clause
# A network for machines, in a namespace with dnsmasq and nbdkit.  It
# ends with the script.  Sourced after lib.sh and netns.sh.
#
#   tap  the network of a card there
#   t0   br0: 192.0.2.0/24 and 2001:db8::/64, servers .1, ::1 and fe80::1
#   t1   br1: 198.51.100.0/24, servers .1
#   t2   has a carrier and no peer
#   t3   br2: has only the switch, a machine that forwards the frames of VLAN 7
#        to br3: 203.0.113.0/24, servers .1
root4=192.0.2.1
root6=2001:db8::1
nbdkits=''
switch=''
# The last byte of a card's address is its index in vm_taps.
vm_mac=52:54:00:00:00:0

at_exit()
{
	vm_stop
	[ ! "$switch" ] || kill "$switch" || true
	for pid in $nbdkits; do
		# SIGTERM would wait for machines that are cut off by now
		kill -9 "$pid" 2>/dev/null || true
	done
}

# segment BRIDGE [ADDRESS]
segment()
{
	at "$srv" ip link add "$1" type bridge forward_delay 0 stp_state 0
	at "$srv" ip link set "$1" up
	[ $# = 1 ] || at "$srv" ip addr add "$2" dev "$1"
}

# tap NAME [BRIDGE]
tap()
{
	at "$srv" ip tuntap add "$1" mode tap
	[ $# = 1 ] || at "$srv" ip link set "$1" master "$2"
	at "$srv" ip link set "$1" up
}

# export_on PORT ARGUMENT...: starts nbdkit on all addresses
export_on()
{
	nsenter -t "$srv" -n nbdkit -f -r -p "$@" \
		>"$work/nbdkit$1.log" 2>&1 </dev/null &
	nbdkits="$nbdkits $!"
	listens -t "$1" "$!" "$work/nbdkit$1.log"
}

lan_up()
{
	namespace
	srv=$ns
	vm_at=$srv
	segment br0 $root4/24
	at "$srv" ip addr add $root6/64 dev br0 nodad
	at "$srv" ip addr add fe80::1/64 dev br0 nodad
	segment br1 198.51.100.1/24
	tap t0 br0
	tap t1 br1
	tap t2
	segment br2
	tap t3 br2
	segment br3 203.0.113.1/24
}

# lan_dhcpd OPTION...: starts dnsmasq for all networks, with router
# advertisements on br0.  Sets server and lan_dhcpd.
lan_dhcpd()
{
	dhcpd_on br0 192.0.2.50 192.0.2.99 -i br1 -i br3 \
		--dhcp-range=198.51.100.50,198.51.100.99,255.255.255.0 \
		--dhcp-range=203.0.113.50,203.0.113.99,255.255.255.0 \
		--dhcp-range=2001:db8::,ra-only --enable-ra "$@"
	lan_dhcpd=$server
}

# The kernel of the host may lack VLANs; Debian's has them.
switch_up()
{
	tap t4 br2
	tap t5 br3
	tree=$work/switch
	add_busybox "$tree"
	cp "$here/guest/net-switch.sh" "$tree/switch"
	initramfs "$work/switch.img" 'virtio_net virtio_pci 8021q bridge' \
		"$tree" >/dev/null
	mkfifo "$work/switch.console"
	# shellcheck disable=SC2153 # it is lib.sh's
	vm_taps='t4 t5' vm_mac=52:54:00:00:01:0 vm_limit=$VM_LIMIT
	qemu "$work/switch.img" 'rdinit=/switch loglevel=3' -serial stdio \
		</dev/null >"$work/switch.console" 2>&1 &
	switch=$!
	vm_mac=52:54:00:00:00:0
	exec 4<"$work/switch.console"
	: >"$work/switch.log"
	while IFS= read -r line <&4; do
		printf '%s\n' "$line" >>"$work/switch.log"
		case $line in
		'switch: ready'*) return ;;
		esac
	done
	die "the switch does not start: $(cat "$work/switch.log")"
}

switch_down()
{
	end_server "$switch"
	switch=''
	exec 4<&-
}

# liar MODE: starts net-answer.sh as DHCP server on br0.  Sets server.
liar()
{
	nsenter -t "$srv" -n socat -u \
		UDP4-RECVFROM:67,reuseaddr,fork,so-bindtodevice=br0 \
		SYSTEM:"sh $here/net-answer.sh $1 $work" \
		>"$work/liar.log" 2>&1 </dev/null &
	server=$!
	servers="$servers $server"
	listens -u 67 "$server" "$work/liar.log"
}

# Ends $server; its port is free when this returns.
lan_stop()
{
	end_server "$server"
}

# lan_far US LOSS: puts the next machines behind a relay to br0, which delays
# frames by US microseconds and drops LOSS of 1,000,000.  Sets tap and vm_at.
lan_far()
{
	[ "${far-}" ] || {
		make -s -C "$here/../.." O="$O/t/relay" "$O/t/relay/relay" >&2
		namespace
		far=$ns
	}
	nsenter -t "$srv" -n "$O/t/relay/relay" -s 7 -d "$1" -l "$2" \
		-t far -n "$far" near >"$work/relay.log" 2>&1 </dev/null &
	relay=$!
	servers="$servers $relay"
	until at "$far" ip link show far >/dev/null 2>&1 &&
		at "$srv" ip link show near >/dev/null 2>&1; do
		kill -0 "$relay" || die "no relay: $(cat "$work/relay.log")"
	done
	at "$srv" ip link set near master br0 up
	at "$far" ip link add bm type bridge forward_delay 0 stp_state 0
	at "$far" ip tuntap add q0 mode tap
	at "$far" ip link set q0 master bm up
	at "$far" ip link set far master bm up
	at "$far" ip link set bm up
	tap=q0 vm_at=$far
}

# Ends the relay; the next machines are at br0 again.
lan_near()
{
	end_server "$relay"
	at "$far" ip link del bm
	at "$far" ip link del q0
	tap=t0 vm_at=$srv
}
