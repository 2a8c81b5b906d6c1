#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# init= of the images of soak_images.sh: says where the root is, which image it
# is, and what lies below it, and ends.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

[ -e /proc/mounts ] || mount -t proc proc /proc
[ -e /sys/block ] || mount -t sysfs sysfs /sys
while read -r device path type options _; do
	[ "$path" != / ] || root="$device $type ${options%%,*}"
done </proc/mounts
read -r name </etc/image
below=''
for link in /sys/block/*/slaves/*; do
	[ ! -e "$link" ] || below="$below ${link##*/}"
done
{
	echo "guest: image is $name"
	echo "guest: below it:${below:- nothing}"
	echo "guest: root is $root"
} >/dev/console
sync
echo b >/proc/sysrq-trigger
