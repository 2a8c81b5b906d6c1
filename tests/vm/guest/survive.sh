#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the machines of test_survive.sh: writes and reads its root for
# ever, and prints its progress; or (swap) uses more memory than there is.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

word()
{
	tr ' ' '\n' </proc/cmdline | sed -n "s/^test.$1=//p"
}

# beats: each one writes 1 MiB through, and reads it back
beats()
{
	i=0
	while :; do
		dd if=/dev/urandom of=/tmp/data bs=64k count=16 2>/dev/null
		sum=$(md5sum </tmp/data)
		cp /tmp/data /var/data && sync || echo "guest: WRONG: write"
		echo 3 >/proc/sys/vm/drop_caches
		[ "$(md5sum </var/data)" = "$sum" ] || echo "guest: WRONG: read"
		i=$((i + 1))
		echo "guest: beat $i"
		[ ! -e /tmp/end ] || return
	done
}

# The watcher is alive, and comes from the initramfs, which is gone.
watcher()
{
	for exe in /proc/[0-9]*/exe; do
		[ -e "$exe" ] || continue # a thread of the kernel
		[ "$(readlink "$exe")" = '/init (deleted)' ] || continue
		pid=${exe#/proc/}
		pid=${pid%/exe}
		tr '\0' ' ' <"/proc/$pid/cmdline"
		awk '/^Rss/ { print "- " $2 " KiB" }' "/proc/$pid/smaps_rollup"
		return
	done
	echo none
}

mount -t tmpfs tmpfs /tmp
echo "guest: watcher $(watcher)"
case $(word mode) in
beats)
	(
		# the host ends it
		read -r _ </dev/ttyS1
		: >/tmp/end
	) &
	beats
	;;
swap)
	mkswap /dev/nbd0p2 >/dev/null
	swapon /dev/nbd0p2
	mount -t tmpfs -o size=400M tmpfs /mnt
	i=0
	while [ $i -lt "$(word rounds)" ]; do
		# more than the memory, with dirty pages beside it
		echo "guest: round $i"
		dd if=/dev/zero of=/dev/nbd0p3 bs=1M count=32 2>/dev/null &
		sum=$(dd if=/dev/urandom bs=1M count=140 2>/dev/null |
			tee /mnt/data | md5sum)
		[ "$(md5sum </mnt/data)" = "$sum" ] || echo "guest: WRONG: swap"
		wait
		awk '/^SwapFree/ { print "guest: swap free " $2 " KiB" }' \
			/proc/meminfo
		rm /mnt/data
		i=$((i + 1))
	done
	;;
esac
echo "guest: watcher $(watcher)"
# 1326: a system call that the filter of a process refuses
dmesg | grep -E 'I/O error|EXT4-fs error|Remounting|Out of memory|WARNING|=1326' |
	sed 's/^/guest: WRONG: /'
grep -q ' / ext4 rw' /proc/mounts || echo 'guest: WRONG: root is read-only'
echo 'guest: end'
poweroff -f
