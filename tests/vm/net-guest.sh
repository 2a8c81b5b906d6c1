#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The init of the root that test_net.sh boots: tells what it finds, ends.
PATH=/bin
ip -o addr show | while read -r _ device _ address rest; do
	case $rest in
	*' global '*forever*) echo "guest: $device $address forever" ;;
	*' global '*) echo "guest: $device $address" ;;
	esac
done
ip route | sed -n 's/^default via \([^ ]*\) dev \([^ ]*\).*/guest: route \1 \2/p'
ip -o link | sed -n 's/^[0-9]*: \([^:]*\): .* mtu \([0-9]*\).*/guest: mtu \1 \2/p'
for device in /sys/class/net/eth*; do
	echo "guest: carrier ${device##*/} $(cat "$device/carrier" 2>/dev/null)"
done
echo "guest: host $(hostname)"
sed 's/^/guest: /' /run/nbdboot/lease
sed 's/^/guest: /' /run/nbdboot/resolv.conf
awk '$2 == "/" { print "guest: root " $1 " " $3 " " $4 }' /proc/mounts
for device in /sys/block/nbd*/backend; do
	[ ! -s "$device" ] || echo "guest: server $(cat "$device")"
done
sed -n 's/.*"name":"\([^"]*\)","start":\([0-9]*\),"end":\([0-9]*\).*/guest: step \1: \2 \3/p' \
	/run/nbdboot/boot.json
echo 'guest: end'
poweroff -f
