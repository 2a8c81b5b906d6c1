#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The init of the root that test_net.sh boots: prints the network, and ends.
PATH=/bin
ip -o addr show | while read -r _ device _ address rest; do
	case $rest in
	*' global '*forever*) echo "guest: $device $address forever" ;;
	*' global '*) echo "guest: $device $address" ;;
	esac
done
ip route | sed -n 's/^default via \([^ ]*\) dev \([^ ]*\).*/guest: route \1 \2/p'
ip -o link | sed -n 's/^[0-9]*: \([^:]*\): .* mtu \([0-9]*\).*/guest: mtu \1 \2/p'
# The kernel knows the carrier only of interfaces that are up.
for device in /sys/class/net/eth*; do
	name=${device##*/}
	cat "$device/carrier" >/dev/null 2>&1 || {
		echo "guest: down $name"
		ip link set "$name" up
	}
	echo "guest: carrier $name $(cat "$device/carrier")"
done
for file in /run/systemd/network/*; do
	echo "guest: file ${file##*/}"
done
echo "guest: host $(hostname)"
sed 's/^/guest: /' /run/nbdboot/lease
sed 's/^/guest: /' /run/nbdboot/resolv.conf
awk '$2 == "/" { print "guest: root " $1 " " $3 " " $4 }' /proc/mounts
for device in /sys/block/nbd*/backend; do
	[ ! -s "$device" ] || echo "guest: server $(cut -d' ' -f1 "$device")"
done
sed -n 's/.*"name":"\([^"]*\)","start":\([0-9]*\),"end":\([0-9]*\).*/guest: step \1: \2 \3/p' \
	/run/nbdboot/boot.json
for process in /proc/[0-9]*; do
	grep -q '^@nbdboot.renew' "$process/cmdline" 2>/dev/null || continue
	renew=${process#/proc/}
	awk '/^(Rss|Pss|Locked|Anonymous):/ { print "guest: renew", $1, $2 }' \
		"$process/smaps_rollup"
	for fd in "$process"/fd/*; do
		echo "guest: renew open $(readlink "$fd")"
	done
done
echo 'guest: end'
# When the test connects, takes the port of DHCP clients; prints the reaction.
if grep -q test.stay /proc/cmdline; then
	mkdir /run/old
	cp /run/nbdboot/lease /run/net-eth0.conf /run/old
	nc -l -p 9 </dev/null
	for lease in /run/nbdboot/lease /run/net-eth0.conf; do
		diff "/run/old/${lease##*/}" $lease | sed -n "s,^+\([A-Z]\),guest: $lease: \1,p"
	done
	socat -u UDP4-RECV:68,reuseaddr OPEN:/dev/null &
	grep -m 1 'nbdboot: renew:' /proc/kmsg | sed 's/.*nbdboot/guest/'
	while [ -e "/proc/$renew/exe" ]; do :; done
	echo 'guest: alone'
fi
exec /run/initramfs/shutdown poweroff
