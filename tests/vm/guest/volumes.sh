#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the roots of test_volumes.sh: describes the root, and ends by the
# way down.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

awk '$2 == "/" { print "guest: mount /", $1, $3, substr($4, 1, 2) }' /proc/mounts
echo "guest: marker is $(cat /etc/marker)"
for mapping in /sys/block/dm-*; do
	[ -e "$mapping" ] || continue
	echo "guest: mapping $(cat "$mapping/dm/name")" \
		"on $(ls "$mapping/slaves")," \
		"$(cat "/run/udev/data/b$(cat "$mapping/dev")")"
done
for array in /sys/block/md*; do
	[ ! -e "$array" ] || echo "guest: array ${array##*/}"
done
grep -q ' / .* ro,' /proc/mounts || echo written >/tmp/written
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
