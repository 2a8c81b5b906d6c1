#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# busybox init runs this in the roots of test_down.sh, or this runs in its
# place.  Writes, and asks for the shutdown as guest.how= on the kernel command
# line says.
export PATH=/bin:/sbin

how=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^guest\.how=//p')
awk '$2 == "/" { r = $3 " " substr($4, 1, 2) }
	END { print "guest: root is", r }' /proc/mounts
echo "guest: process 1 is $(readlink /proc/1/exe)"
dd if=/dev/zero of=/tmp/zeroes bs=64k count=64 2>/dev/null
mkdir -p '/run/a mount' && mount -t tmpfs none '/run/a mount'
echo "guest: asks for $how"
case $how in
pivot)
	# a process keeps a file of the root open, and does not end by itself
	(
		trap '' TERM HUP
		exec 5>/tmp/open
		while :; do sleep 1000; done
	) &
	kill -QUIT 1
	;;
cut)
	# this is process 1, and everything needed from now on is in RAM
	ip link set eth0 down
	exec /run/initramfs/shutdown poweroff
	;;
*) "$how" ;;
esac
