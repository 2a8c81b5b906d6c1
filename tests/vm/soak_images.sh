#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Images as people have them, exported unchanged, and booted by init: a table of
# which boot, or why not.  Needs root, and the network for Debian's packages.
#
# ONLY is a pattern of the images.
#
#	file	a file system of mmdebstrap
#	gpt	that on a disk with an ESP, marked as the root of this CPU, as mkosi
#		and systemd-repart make them
#	lvm	that on a logical volume, as debian-installer makes it
#	btrfs	that in the subvolume @rootfs, likewise
#	ostree	a deployment
vm_kind=uml
only=${ONLY:-*}
VM_LIMIT=${VM_LIMIT:-300}
O=${O:-build}

# What needs the network comes before the machines have theirs.
debian=$(sh "${0%/*}/../debian.sh" "$O/debian") || exit 1
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/ostree.sh
. "$here/ostree.sh"

disks=$work/disks

# partitioned NAME TYPE SIZE: a disk with an ESP, and a partition of that type
partitioned()
{
	truncate -s "$3" "$disks/$1"
	printf '%s\n' 'label: gpt' 'size=4096, type=U' "type=$2" |
		sfdisk -q "$disks/$1"
}

make_images()
{
	mkdir "$disks" "$work/image"
	cp -a "$debian/." "$work/image/"
	install -m 755 "$here/guest/image.sh" "$work/image/usr/sbin/guest"
	truncate -s 300M "$disks/root"
	mke2fs -q -t ext4 -L image -E root_owner=0:0 -d "$work/image" \
		"$disks/root"
	partitioned gpt 4f68bce3-e8cd-4db1-96e7-fbcaf984b709 320M
	dd if="$disks/root" of="$disks/gpt" bs=1M seek=3 conv=notrunc,sparse \
		status=none
	partitioned lvm E6D6D379-F507-44C2-A23C-238F2A3DF928 330M
	partitioned btrfs L 700M
	truncate -s 696M "$work/btrfs"
	mkfs.btrfs -q -L image "$work/btrfs" >/dev/null
	dd if="$work/btrfs" of="$disks/btrfs" bs=1M seek=3 \
		conv=notrunc,sparse status=none
	make_tree
	install -m 755 "$here/guest/image.sh" "$tree/usr/sbin/guest"
	deploy
	ext4_of "$sysroot" "$disks/ostree" -L image
}

# What is on volumes and in subvolumes is made in a machine.
fill_images()
{
	mkdir -p "$work/add"
	add_busybox "$work/add"
	rm -f "$work/add/bin/init"
	tree=$work/add
	copy_program "$work/add" btrfs
	install -m 755 "$here/guest/make_volumes.sh" "$work/add/make"
	sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" \
		-k "$uml_modules" -m 'nbd ext4 btrfs' -w lvm -a "$work/add" \
		"$work/maker.uml" >"$work/made"
	serve 0 file dir="$disks"
	vm_start "$work/maker" \
		"rdinit=/make loglevel=3 test.images test.port=$port"
	vm_end
	unserve
	said '^guest: end$' || {
		show "$work/log"
		die 'the images cannot be made'
	}
}

# words IMAGE: what a user writes, beside the server
words()
{
	case $1 in
	lvm) echo root=/dev/mapper/vg-root ;;
	btrfs) echo rootflags=subvol=@rootfs ;;
	ostree) echo "$word" ;;
	esac
}

# Why it did not boot: the last line that says so.
reason()
{
	grep -aE 'nbdboot: FAILED|ALERT!|run-init|ailed|No such file|panic|not known' "$work/log" |
		grep -avE 'EXT4-fs|Failed to find module|end Kernel panic' |
		tail -n 1 | sed 's/^\[ *[0-9.]*\] *//' | cut -c 1-90
}

row()
{
	export=$1
	[ "$1" != file ] || export=root
	serve 0 file dir="$disks"
	vm_start "$work/initramfs" "nbdroot=$host:$port/$export $(words "$1") \
ip=$guest_ip rw init=/usr/sbin/guest loglevel=4"
	vm_end
	unserve
	found=$(sed -n 's/^.*guest: root is //p' "$work/log")
	echo "$1 ${found:-no: $(reason)}" >>"$work/table"
	[ "$found" ] || show "$work/log"
}

find_kernel
make_images
fill_images
sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" -k "$uml_modules" \
	-m 'nbd ext4 btrfs overlay' -w lvm "$work/initramfs.uml" >"$work/made"
for image in file gpt lvm btrfs ostree; do
	# shellcheck disable=SC2254 # it is a pattern
	case $image in
	$only) row $image ;;
	esac
done
cat "$work/table"
