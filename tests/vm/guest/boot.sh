#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the roots of test_boot.sh: describes its environment, and ends.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

awk '$2 == "/" { r = "guest: root is " $1 " " $3 " " substr($4, 1, 2) }
	END { print r }' /proc/mounts
echo "guest: marker is $(cat /etc/marker)"
for dir in /proc /sys /dev /run; do
	grep -q " $dir " /proc/mounts || echo "guest: WRONG: no $dir"
done
for exe in /proc/[0-9]*/exe; do
	[ -e "$exe" ] || continue # a thread of the kernel
	program=$(readlink "$exe") || continue
	case $program in
	/bin/busybox | /bin/sh) ;;
	'/init (deleted)') grep -q '^@nbdboot.\(watch.nbd[0-9]\|prefetch.learn\)' \
		"${exe%exe}cmdline" ||
		echo "guest: WRONG: $program is not the watcher" ;;
	*) echo "guest: WRONG: $program ($exe)" ;;
	esac
done
[ $$ = 1 ] || echo "guest: WRONG: pid is $$"
[ "$(readlink /proc/1/fd/0)" = /dev/console ] ||
	echo "guest: WRONG: fd 0 is $(readlink /proc/1/fd/0)"
# A child lists them, as the shell opens pipes and copies at times.
sh -c 'ls -l /proc/1/fd >/run/open'
# ash has its script on 10.
awk 'NR > 1 && $9 !~ /^([012]|10)$/ { print "guest: WRONG: open:", $0 }' \
	/run/open
# Process 1 of somebody else's initramfs has nothing to say.
grep -q rdinit= /proc/cmdline || dmesg | grep -q 'nbdboot: root is ' ||
	echo "guest: WRONG: the kernel's log has nothing of the boot"
echo "guest: reads ahead $(cat /sys/block/nbd0/queue/read_ahead_kb) KiB"
echo "guest: disks $(cd /sys/block && echo nbd*)"
echo "guest: address is $(ip -4 -o addr show dev eth0 | awk '{ print $4 }')"
# What a script of another initramfs learns, which looks for the variable, too.
[ ! -x /bin/nbdboot ] || nbdboot parse-root "$(cat /proc/cmdline)" |
	sed -n 's/^root_\(uri\|ip\)=/guest: parse-root: &/p'
grep -q ' / .* ro,' /proc/mounts || echo written >/tmp/written
# As installers do; only what init needs of it.
if [ -x /bin/btrfs ] && [ ! -e /@ ]; then
	btrfs subvolume create /@ >/dev/null && cp -a /bin /sbin /lib* /etc /@ &&
		mkdir /@/proc /@/sys /@/dev /@/run /@/tmp &&
		cp -a /sbin/init /@/etc/odd
fi
sync
# what only the log of the file system has
grep -q ' / .* ro,' /proc/mounts || {
	dd if=/bin/sh of=/tmp/later count=1 conv=fsync 2>/dev/null
}
echo 'guest: end'
poweroff -nf
