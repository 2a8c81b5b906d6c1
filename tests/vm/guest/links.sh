#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the root of test_links.sh: prints the interfaces, and ends.  With
# test.cut on the kernel command line it first verifies data without a pause,
# until the bond uses another leg and three times more.
export PATH=/bin:/sbin LD_LIBRARY_PATH=/lib/x86_64-linux-gnu

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

ip -4 -o addr show scope global | awk '{ print "guest: " $2, $4 }'
for master in /sys/class/net/*/master; do
	[ -e "$master" ] || continue
	device=${master%/master}
	echo "guest: ${device##*/} is in $(basename "$(readlink "$master")")"
done
for file in /run/systemd/network/*; do
	echo "guest: file ${file##*/}"
done
for mode in /sys/class/net/*/bonding/mode; do
	[ ! -e "$mode" ] || echo "guest: mode $(cat "$mode")"
done
# a bond without members of the right kind cannot print some of its options
for option in /sys/class/net/*/bonding/*; do
	value=$(cat "$option" 2>/dev/null) || continue
	bond=${option%/bonding/*}
	echo "guest: ${bond##*/} ${option##*/}=$value"
done

verified()
{
	fio --name=verify --filename=/tmp/data --rw=randwrite --direct=1 \
		--bs=4k --ioengine=psync --size=2M --verify=crc32c \
		--verify_fatal=1 --do_verify=1 --thread >/run/fio 2>&1 && return
	echo "guest: WRONG: $(cat /run/fio)"
}

if grep -q test.cut /proc/cmdline; then
	active=/sys/class/net/bond0/bonding/active_slave
	before=$(cat $active)
	verified
	echo "guest: cut $before"
	while [ "$(cat $active)" = "$before" ]; do
		verified
	done
	verified
	verified
	verified
	echo "guest: went on over $(cat $active), errors" \
		"$(dmesg | grep -c 'I/O error')"
fi
sync
echo 'guest: end'
poweroff -f
