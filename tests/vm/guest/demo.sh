#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /etc/rc of the demo's root: shows where it runs, checks it, and switches the
# machine off.
export PATH=/bin:/sbin

# Started by hand it would end the host.
grep -q root=nbd /proc/cmdline || exit 2

result()
{
	echo "demo: guest: $*"
	[ -e /etc/interactive ] || {
		mount -o remount,ro /
		poweroff -f
	}
	exit
}

# Shows each command to the reader of the console.
run()
{
	echo "# $*"
	"$@"
}

hostname -F /etc/hostname
run hostname
run mount
echo '# ps -o pid,ppid,user,args    (without threads of the kernel)'
ps -o pid,ppid,user,args | awk '$1 != 2 && $2 != 2'
run cat /proc/uptime

# The root is the block device, not the initramfs.
root=$(awk '$2 == "/" { r = $1 " " $3 } END { print r }' /proc/mounts)
[ "$root" = '/dev/nbd0 ext4' ] ||
	result "/ is $root, not ext4 on /dev/nbd0"
for dir in /proc /sys /dev /run; do
	grep -q " $dir " /proc/mounts || result "$dir is not mounted"
done

# Every process is busybox's, a thread of the kernel (no /proc/N/exe), or the
# watcher, which is not in the data path.
for exe in /proc/[0-9]*/exe; do
	[ -e "$exe" ] || continue # a thread of the kernel
	program=$(readlink "$exe") || continue
	[ "$program" = /bin/busybox ] || [ "$program" = '/init (deleted)' ] ||
		result "$program still runs ($exe)"
done

# The disk can be written, and gives back what was written.
dd if=/dev/urandom of=/root/random bs=64k count=128 2>/dev/null
sum=$(sha256sum </root/random)
sync
echo 3 >/proc/sys/vm/drop_caches
[ "$(sha256sum </root/random)" = "$sum" ] ||
	result '/root/random does not read as it was written'
run ls -l /root
sed 's/^/demo: times: /' /run/nbdboot/boot.json
result "ok ${sum%% *}"
