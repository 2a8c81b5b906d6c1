#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the root of test_toram.sh: reads all of the root, whose server
# is gone, writes to it, moves to the export itself, and ends.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

awk '$2 == "/" { r = "guest: root is " $1 " " $3 " " substr($4, 1, 2) }
	END { print r }' /proc/mounts
echo "guest: copies $(cat /sys/block/loop*/loop/backing_file 2>/dev/null | wc -l)"
[ ! -e /run/nbdboot/cmdline ] || {
	echo 'guest: end'
	poweroff -f
}
# shellcheck disable=SC2046 # two words
set -- $(stat -c '%s %b' /run/nbdboot/ram/disk)
echo "guest: $1 bytes, $(($2 / 2)) KiB in RAM"
echo "guest: connected $(cat /sys/block/nbd*/pid 2>/dev/null | wc -l)"
echo "guest: $(find / -xdev -type f -exec cat {} + | wc -c) bytes read"
echo written >/tmp/written
sync
[ "$(cat /tmp/written)" = written ] && echo 'guest: written'
root=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^root=//p')
exec nbdboot reroot --when-ready -p 2 "$root"
