#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the root of soak_boot.sh: reads, writes, and ends.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

sha256sum </blob | sed 's/^/guest: blob is /'
head -c 2000000 /blob >/copy
sync
echo 3 >/proc/sys/vm/drop_caches
cmp -n 2000000 /blob /copy && echo 'guest: copy is whole'
mount -o remount,ro /
echo 'guest: end'
poweroff -f
