# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The images of soak_images.sh in $disks, and the initramfs of each hook in
# $archives.  Sourced: before lib.sh for what needs the network, and used after it.

luks_uuid=5ea0e6a4-35cb-4b5a-9f0e-6d1b43d0f001
uml_modules=$(echo /usr/lib/uml/modules/*)
# what the hooks of the distribution need for these images
volume_packages='lvm2 cryptsetup cryptsetup-initramfs mdadm btrfs-progs ostree-boot'

# ---- with the network ----

# As root mkosi makes a root by debootstrap, and a disk with a partition of its
# type.  Without systemd here its containers stay in the unit of this process.
mkosi_image()
{
	[ ! -s "$1/mkosi.raw" ] || return 0
	mkdir -p "$1/cache"
	mkosi --force --nspawn-keep-unit -d debian -r bookworm -t gpt_ext4 \
		--bootable no --package systemd --package udev \
		--root-size 500M --cache "$1/cache" \
		-o "$(realpath "$1")/mkosi.raw" build \
		>"$1/mkosi.log" 2>&1 </dev/null || {
		tail -n 20 "$1/mkosi.log" >&2
		return 1
	}
}

# hook_base DEBIAN [PACKAGE...]: what its initramfs is made in
hook_base()
{
	release=$1
	shift
	PACKAGES="$volume_packages $*" sh "${0%/*}/dropin-root.sh" \
		"$release/images" "$release/root" "$uml_modules" || return 1
	# as manuals of nbd-client say, and too early for the rules of LVM
	echo nbd >"$release/images/etc/initramfs-tools/modules"
}

# ---- disks ----

# partitioned NAME TYPE SIZE: a disk with an ESP, and a partition of that type
partitioned()
{
	truncate -s "$3" "$disks/$1"
	printf '%s\n' 'label: gpt' 'size=4096, type=U' "type=$2" |
		sfdisk -q "$disks/$1"
}

# start_of DISK N: the first sector of that partition
start_of()
{
	sfdisk -J "$1" | jq ".partitiontable.partitions[$2 - 1].start"
}

# into FILE: in place of a disk's second partition
into()
{
	dd if="$1" of="$2" bs=1M seek=3 conv=notrunc,sparse status=none
}

# put_in FILE SOURCE PATH: into a file system
put_in()
{
	for command in "rm $3" "write $2 $3" "sif $3 mode 0100755"; do
		debugfs -w -R "$command" "$1" >"$work/debugfs" 2>&1
	done
}

# rename_in FILE NAME: gives the file system the name of the image
rename_in()
{
	echo "$2" >"$work/name"
	put_in "$1" "$work/name" /etc/image
}

# The only partition gets what says where it is.
take_mkosi()
{
	cp --sparse=always "$1" "$disks/mkosi"
	set -- "$disks/mkosi" "$(start_of "$disks/mkosi" 1)"
	dd if="$1" of="$work/part" bs=512 skip="$2" conv=sparse status=none
	put_in "$work/part" "$here/guest/image.sh" /usr/sbin/guest
	rename_in "$work/part" mkosi
	dd if="$work/part" of="$1" bs=512 seek="$2" conv=notrunc,sparse \
		status=none
	rm "$work/part"
}

# As systemd-repart makes it from Verity=data and Verity=hash: the UUIDs of the
# partitions are the halves of the root hash.  Sets roothash.
make_verity()
{
	cp --sparse=always "$disks/root" "$work/data"
	rename_in "$work/data" verity
	roothash=$(veritysetup format "$work/data" "$work/hash" |
		sed -n 's/^Root hash:[^0-9a-f]*//p')
	truncate -s 320M "$disks/verity"
	printf '%s\n' 'label: gpt' 'size=4096, type=U' \
		"size=$(($(stat -c %s "$work/data") / 512)), \
type=4f68bce3-e8cd-4db1-96e7-fbcaf984b709, uuid=$(half 1 32)" \
		"type=2c7357ed-ebd2-46d9-aec1-23d437ec2bf5, uuid=$(half 33 64)" |
		sfdisk -q "$disks/verity"
	into "$work/data" "$disks/verity"
	dd if="$work/hash" of="$disks/verity" bs=512 conv=notrunc,sparse \
		status=none seek="$(start_of "$disks/verity" 3)"
	rm "$work/data" "$work/hash"
}

# half FROM TO: these digits of the root hash, as a UUID
half()
{
	echo "$roothash" | cut -c "$1-$2" |
		sed 's/\(.\{8\}\)\(.\{4\}\)\(.\{4\}\)\(.\{4\}\)\(.*\)/\1-\2-\3-\4-\5/'
}

make_images()
{
	mkdir "$work/image"
	cp -a "$debian/." "$work/image/"
	install -m 755 "$here/guest/image.sh" "$work/image/usr/sbin/guest"
	echo file >"$work/image/etc/image"
	truncate -s 300M "$disks/root"
	# blocks of a hash tree have no less
	mke2fs -q -t ext4 -b 4096 -L image -E root_owner=0:0 \
		-d "$work/image" "$disks/root"
	rm -r "$work/image"
	cp --sparse=always "$disks/root" "$work/gpt"
	rename_in "$work/gpt" gpt
	partitioned gpt 4f68bce3-e8cd-4db1-96e7-fbcaf984b709 320M
	into "$work/gpt" "$disks/gpt"
	rm "$work/gpt"
	make_verity
	take_mkosi "$O/images/mkosi.raw"
	partitioned lvm E6D6D379-F507-44C2-A23C-238F2A3DF928 330M
	partitioned luks CA7D7CCB-63ED-4C53-861C-1742536059CC 330M
	partitioned md A19D880F-05FC-4D3B-A006-743F0F84911E 330M
	partitioned btrfs L 700M
	truncate -s 696M "$work/btrfs"
	mkfs.btrfs -q -L image "$work/btrfs" >/dev/null
	into "$work/btrfs" "$disks/btrfs"
	rm "$work/btrfs"
	make_tree
	install -m 755 "$here/guest/image.sh" "$tree/usr/sbin/guest"
	echo ostree >"$tree/usr/etc/image"
	deploy
	ext4_of "$sysroot" "$disks/ostree" -L image
	printf '%s\n' "roothash=$roothash" "word=$word" \
		"mkosi_uuid=$(sfdisk --part-uuid "$disks/mkosi" 1 | tr A-F a-f)" \
		>"$disks/names"
}

# What is on volumes and in subvolumes is made in a machine.
fill_images()
{
	mkdir -p "$work/add"
	add_busybox "$work/add"
	rm -f "$work/add/bin/init"
	copy_to_add btrfs
	install -m 755 "$here/guest/make_volumes.sh" "$work/add/make"
	sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" \
		-k "$uml_modules" -m 'nbd ext4 btrfs' -w lvm,cryptsetup,mdadm \
		-y "$work/key" -a "$work/add" "$work/maker.uml" >"$work/made"
	serve 0 file dir="$disks"
	vm_start "$work/maker" "rdinit=/make loglevel=3 test.images \
test.port=$port test.luks=$luks_uuid"
	vm_end
	unserve
	said '^guest: end$' || {
		show "$work/log"
		die 'the images cannot be made'
	}
	dd if="$disks/lvm" of="$disks/pv" bs=1M skip=3 conv=sparse status=none
}

copy_to_add()
{
	deployed=$tree tree=$work/add
	copy_program "$work/add" "$@"
	tree=$deployed
}

# ---- initramfs ----

# What people write in a system whose root is in LUKS.
make_skeleton()
{
	mkdir -p "$1/etc/keys" "$1/etc/cryptsetup-initramfs"
	chmod 700 "$1/etc/keys"
	cp "$work/key" "$1/etc/keys/luks.key"
	echo "luks UUID=$luks_uuid /etc/keys/luks.key luks,initramfs" \
		>"$1/etc/crypttab"
	echo 'KEYFILE_PATTERN=/etc/keys/*.key' \
		>"$1/etc/cryptsetup-initramfs/conf-hook"
}

# hook_images RELEASE DEBIAN: $archives/dracutRELEASE.uml, and those of
# initramfs-tools: the one for LUKS waits for it
hook_images()
{
	mkdir "$work/root$1"
	SKELETON=$work/skeleton MAKE=volumes sh "$here/dropin-root.sh" \
		"$2/images" "$2/root" "$uml_modules" "$work/root$1/tree" \
		"$O"/deb/*.deb || exit 1
	mv "$work/root$1/tree/boot/volumes.img" "$archives/dracut$1.uml"
	mv "$work/root$1"/tree/boot/initrd.img-* "$archives/initramfs-tools$1.uml"
	mv "$work/root$1/tree/boot/luks.img" "$archives/initramfs-tools$1.luks.uml"
	rm -r "$work/root$1"
}

# That of make initramfs.
init_image()
{
	sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" \
		-k "$uml_modules" -m 'nbd ext4 btrfs overlay dm_mod dm_verity' \
		-w lvm,cryptsetup,mdadm -y "$work/key" "$archives/init.uml" \
		>"$work/made"
}
