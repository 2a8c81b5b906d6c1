#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Process 1 of the machine that makes the volumes of test_volumes.sh, and with
# test.images the disks of soak_images.sh: these, and the root, are exports of a
# server, test.port=, and the host is spared.
export PATH=/sbin:/bin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

mkdir -p /proc /sys /dev /run
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /run
mkdir -p /run/lock /run/cryptsetup
ln -s ../init /sbin/modprobe
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
port=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^test.port=//p')
modprobe dm_mod
modprobe dm_crypt
modprobe md_mod
modprobe raid1
modprobe ext4

connect()
{
	nbdboot connect "nbd://10.0.2.2:$port/$1"
}

key=/etc/nbdboot/luks.key

# volumes NAME DEVICE [SIZE]: the root and another file system
volumes()
{
	lvm pvcreate -q "$2" && lvm vgcreate -q "$1" "$2" &&
		lvm lvcreate -qq -Zn -Wn -y -n data -l 1 "$1" &&
		lvm lvcreate -qq -Zn -Wn -y -n root -l "${3:-100%FREE}" "$1" &&
		dd if="$root" of="/dev/mapper/$1-root" bs=1M
}

# format DEVICE NAME [OPTION...]
format()
{
	device=$1 name=$2
	shift 2
	cryptsetup luksFormat -q --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
		--key-file $key "$@" "$device" &&
		cryptsetup open --key-file $key "$device" "$name"
}

# array ARRAY METADATA DEVICE: of one of two disks
array()
{
	mdadm --create "$1" --run --level=1 --raid-devices=2 --metadata="$2" \
		"$3" missing
}

make_volumes()
{
	luks=/dev/$(connect luks)
	deep=/dev/$(connect deep)
	leg=/dev/$(connect leg)
	volumes vg "${lvm}p2" 8
	format "$luks" luks
	dd if="$root" of=/dev/mapper/luks bs=1M
	array /dev/md0 1.2 "$deep"
	dd if=/table of=/dev/md0
	blockdev --rereadpt /dev/md0
	format /dev/md0p1 deep
	volumes deeper /dev/mapper/deep 8
	# its superblock is at the end, and that of LVM where a disk has it
	array /dev/md1 1.0 "$leg"
	volumes leg /dev/md1 8
	lvm vgchange -an
	cryptsetup close deep
	cryptsetup close luks
	mdadm --stop /dev/md0
	mdadm --stop /dev/md1
	nbdboot disconnect "${luks#/dev/}"
	nbdboot disconnect "${deep#/dev/}"
	nbdboot disconnect "${leg#/dev/}"
}

# mark NAME DEVICE: the root there has the name of the image
mark()
{
	mount -t ext4 "$2" /to
	echo "$1" >/to/etc/image
	umount /to
}

# put NAME DEVICE: the root, with that name
put()
{
	dd if="$root" of="$2" bs=1M
	mark "$@"
}

make_btrfs()
{
	btrfs=/dev/$(connect btrfs)
	modprobe btrfs
	mount -t ext4 -o ro "$root" /from
	mount -t btrfs "${btrfs}p2" /to
	btrfs subvolume create /to/@rootfs
	cp -a /from/. /to/@rootfs/
	echo btrfs >/to/@rootfs/etc/image
	umount /from /to
	nbdboot disconnect "${btrfs#/dev/}"
}

make_images()
{
	mkdir -p /from /to
	luks=/dev/$(connect luks)
	md=/dev/$(connect md)
	volumes vg "${lvm}p2"
	mark lvm /dev/mapper/vg-root
	lvm vgchange -an
	format "${luks}p2" luks --uuid "$(tr ' ' '\n' </proc/cmdline |
		sed -n 's/^test.luks=//p')"
	put luks /dev/mapper/luks
	cryptsetup close luks
	mdadm --create /dev/md0 --run --level=1 --raid-devices=2 \
		--metadata=1.2 "${md}p2" missing
	put md /dev/md0
	mdadm --stop /dev/md0
	nbdboot disconnect "${luks#/dev/}"
	nbdboot disconnect "${md#/dev/}"
	make_btrfs
}

set -e
root=/dev/$(connect root)
lvm=/dev/$(connect lvm)
if grep -q test.images /proc/cmdline; then make_images; else make_volumes; fi
nbdboot disconnect "${root#/dev/}"
nbdboot disconnect "${lvm#/dev/}"
echo 'guest: end'
poweroff -f
