#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Process 1 of an initramfs with a shell, which calls the commands of nbdboot
# one by one.  It reads the kernel command line as nbdboot init does.
export PATH=/bin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

mkdir -p /proc /sys /dev /run /root
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /run
for module in virtio_pci virtio_net ext4 crc32c; do
	nbdboot modprobe -q -- "$module"
done
nbdboot load
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
uri=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^root=//p')
device=$(nbdboot connect "$uri")
mount -t ext4 "/dev/$device" /root
nbdboot switch-root /nowhere || echo "guest: refused with $?"
exec nbdboot switch-root -c /dev/console /root /sbin/init
