#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An address of DHCPv6 beside what manages interfaces in Debian 12, NetworkManager
# and ifupdown, in network namespaces.  The interface is a veth: for NetworkManager
# it has no permanent MAC, as a bond, a bridge or a VLAN.  TAP on standard output.
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
# shellcheck source=tests/interop/dhcpds.sh
. "${0%/*}/dhcpds.sh"

nbdboot=$O/nbdboot
debian=$(sh "${0%/*}/../debian.sh" "$O/debian") || exit 1

# Makes a server with a cable to a machine, whose lease lasts for 4 s.  Sets renew
# to the process that renews it.
machine()
{
	namespace
	srv=$ns
	namespace
	cli=$ns
	cable v0 eth0
	at "$srv" ip addr add 2001:db8::1/64 dev v0 nodad
	# Kea listens only where there is a carrier
	at "$cli" ip link set eth0 up
	radvd_on v0 'AdvManagedFlag on;' \
		'prefix 2001:db8::/64 { AdvAutonomous off; };'
	cat >"$work/kea.conf" <<-END
		{ "Dhcp6": {
		"interfaces-config": { "interfaces": [ "v0" ],
			"service-sockets-max-retries": 100,
			"service-sockets-retry-wait-time": 100 },
		"lease-database": { "type": "memfile", "persist": false },
		"server-id": { "type": "LL", "persist": false },
		"valid-lifetime": 4, "preferred-lifetime": 4,
		"loggers": [ { "name": "kea-dhcp6", "severity": "DEBUG",
			"debuglevel": 50,
			"output_options": [ { "output": "stdout" } ] } ],
		"subnet6": [ { "id": 1, "subnet": "2001:db8::/64",
		"interface": "v0",
		"pools": [ { "pool": "2001:db8::100-2001:db8::1ff" } ] } ] } }
	END
	kea_run kea-dhcp6 547
	ifup ip=dhcp6
	expect 0 eth0 "$1: a machine has an address"
	nsenter -t "$cli" -n -m "$nbdboot" renew >"$work/renew.out" 2>&1 \
		</dev/null &
	renew=$!
	servers="$servers $renew"
	changes
	addresses=$(at "$cli" ip -6 -o addr show eth0)
}

# inside SCRIPT: runs it in Debian's root, on the network of the machine and with
# its /run.  What it writes is lost.  Its output is $work/inside.
inside()
{
	mkdir -p "$work/layer" "$work/root"
	# shellcheck disable=SC2016 # for the inner shell
	nsenter -t "$cli" -n -m unshare -m sh -ec '
		mount -t tmpfs layer "$1/layer"
		mkdir "$1/layer/new" "$1/layer/work"
		mount -t overlay -o "lowerdir=$2,upperdir=$1/layer/new" \
			-o "workdir=$1/layer/work" root "$1/root"
		mount -t proc proc "$1/root/proc"
		# without udev: where /sys is read-only nobody waits for it
		mount -t sysfs -o ro sysfs "$1/root/sys"
		mount --rbind /dev "$1/root/dev"
		mount --bind /run "$1/root/run"
		exec chroot "$1/root" sh -c "$3"' sh "$work" "$debian" "$1" \
		>"$work/inside" 2>&1 </dev/null || true
}

# printed TEXT SENTENCE: of the latest script
printed()
{
	if grep -q -e "$1" "$work/inside"; then
		ok "$2"
	else
		not_ok "$2"
		show "$work/inside"
	fi
}

# kept NAME: the machine has its address, and had it all the time
kept()
{
	changed
	check "$1: the machine has the same addresses" \
		[ "$(at "$cli" ip -6 -o addr show eth0)" = "$addresses" ]
	# shellcheck disable=SC2016 # for the inner shell
	check "$1: none was lost at any time" sh -c \
		'! grep "^Deleted .*eth0" "$1"' sh "$work/changes"
	client_has 'ip -6 route' 'default via fe80::' "$1: nor the route"
	seen=$(($(wc -l <"$work/server.log") + 1))
	# shellcheck disable=SC2016 # for the inner shell
	check "$1: our process still renews the lease" sh -c \
		'tail -n "+$1" -f --pid="$2" "$3" |
			grep -q -m 1 "DHCP6_PACKET_RECEIVED.*RENEW"' sh \
		"$seen" "$renew" "$work/server.log"
	end_server "$renew" "$server" "$radvd"
}

# ---- NetworkManager ----

machine NetworkManager
# shellcheck disable=SC2016 # for the inner shell
inside 'mkdir -p /run/dbus
	dbus-daemon --system --fork
	NetworkManager --no-daemon &
	nm-online -s -q -t 60 && echo started
	nmcli -g GENERAL.STATE device show eth0
	nmcli -w 30 networking off
	nmcli -w 30 networking on
	nmcli -w 30 device connect eth0
	nmcli -g GENERAL.STATE device show eth0 | sed "s/^/later /"
	kill $!
	wait $!
	kill "$(cat /run/dbus/pid)"'
printed '^started' 'NetworkManager starts'
printed '^10 (unmanaged)' 'and leaves the interface alone'
printed "doesn't allow" 'it activates nothing on it, even if somebody asks'
printed '^later 10 (unmanaged)' 'nor after the network was switched off and on'
kept NetworkManager

# ---- ifupdown ----

machine ifupdown
# what the units of Debian run, with the environment that they have
# shellcheck disable=SC2016 # for the inner shell
inside 'printf "%s\n" "auto lo" "iface lo inet loopback" "auto eth0" \
		"iface eth0 inet dhcp" "iface eth0 inet6 dhcp" \
		>/etc/network/interfaces
	export "$(sed -n "s/^Environment=\"\(.*\)\"/\1/p" \
		/run/systemd/system/networking.service.d/nbdboot.conf)"
	ifup -v -a --read-environment
	echo "up $?, $(cat /proc/[0-9]*/comm | grep -c dhclient) clients"
	ifdown -v -a --read-environment --exclude=lo
	echo "down $?"'
printed '^up 0, 0 clients' 'ifupdown starts no client, though its file asks for one'
printed '^down 0' 'and ends'
client_has 'cat /run/systemd/system/ifup@.service.d/nbdboot.conf' \
	'!/run/systemd/network/10-nbdboot-%I.link' \
	'allow-hotplug: the unit is not started where there is a file'
client_has 'ls /run/systemd/network' '10-nbdboot-eth0.link' 'which is there'
kept ifupdown
finish
