#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the root of test_discover.sh: writes and reads its root until the
# host ends the machine, and prints each time.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

mount -t tmpfs tmpfs /tmp
i=0
while :; do
	dd if=/dev/urandom of=/tmp/data bs=64k count=4 2>/dev/null
	sum=$(md5sum </tmp/data)
	cp /tmp/data /var/data && sync || echo 'guest: WRONG: write'
	echo 3 >/proc/sys/vm/drop_caches
	[ "$(md5sum </var/data)" = "$sum" ] || echo 'guest: WRONG: read'
	# 1326: a system call that the filter of the watcher refuses
	dmesg | grep -E 'I/O error|EXT4-fs error|Remounting|=1326' |
		sed 's/^/guest: WRONG: /'
	i=$((i + 1))
	echo "guest: beat $i"
done
