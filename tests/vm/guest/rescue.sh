#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Process 1 of a rescue system that is an initramfs: it moves into the root of
# guest.root= on the kernel command line.
export PATH=/bin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

mkdir -p /proc /sys /dev /run
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /run
for module in virtio_pci virtio_net virtio_blk ext4 crc32c overlay tls aesni_intel gcm \
	ctr ghash_generic; do
	nbdboot modprobe -q -- "$module"
done
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
ip route add default via 10.0.2.2
ip route add 198.18.0.0/15 via 10.0.2.3
sleep 1000 &
echo 'guest: the rescue system is up'
exec nbdboot reroot "$(tr ' ' '\n' </proc/cmdline | sed -n 's/^guest\.root=//p')"
