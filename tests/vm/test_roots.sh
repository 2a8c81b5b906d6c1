#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Roots on the file systems that test_boot.sh does not have.  The type is found
# on the device, and the modules are loaded as the kernel asks for them, from
# the initramfs of `make initramfs` without MODULES.  Then exports that are odd:
# not unmounted, other sectors than their table, 3 TiB.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
image=$work/image

# proto DIR: prints the input of mkfs.xfs -p
proto()
{
	for file in "$1"/*; do
		name=${file##*/}
		if [ -L "$file" ]; then
			echo "$name l--777 0 0 $(readlink "$file")"
		elif [ -d "$file" ]; then
			echo "$name d--755 0 0"
			proto "$file"
		elif [ -e "$file" ]; then
			echo "$name ---755 0 0 $file"
		fi
	done
	echo '$'
}

make_xfs()
{
	{
		printf '%s\n' /none '0 0' 'd--755 0 0'
		proto "$tree"
	} >"$work/proto"
	truncate -s 300M "$image"
	mkfs.xfs -q -p "$work/proto" "$image"
}

make_btrfs()
{
	# guest/boot.sh makes a subvolume with it
	cp -r "$tree" "$work/btrfs"
	copy_program "$work/btrfs" btrfs
	tree=$work/tree
	truncate -s 192M "$image"
	mkfs.btrfs -q --rootdir "$work/btrfs" "$image" >/dev/null
}

make_f2fs()
{
	truncate -s 128M "$image"
	mkfs.f2fs -q "$image" >/dev/null
	# ends with 1 although all is there: it cannot set the times of links
	sload.f2fs -f "$tree" "$image" >"$work/sload" 2>&1 || true
}

make_erofs()
{
	mkfs.erofs --quiet --all-root "$image" "$tree" >/dev/null
}

# vfat has no links: it gets a copy of each program that the machine runs.
make_vfat()
{
	cp -r "$tree" "$work/fat"
	rm -r "$work/fat/bin"
	mkdir "$work/fat/bin"
	for applet in awk cat grep ip ls poweroff readlink sh sync; do
		cp "$(command -v busybox)" "$work/fat/bin/$applet"
	done
	truncate -s 64M "$image"
	mkfs.vfat "$image" >/dev/null
	mcopy -s -i "$image" "$work/fat"/* ::
}

find_kernel
root_tree "$tree" guest/boot.sh
packed=zstd initramfs "$work/initramfs" | sed 's/^/# /'
# start WORD...: a machine with this root, on $port
start()
{
	vm_kind=$kind
	vm_start "$work/initramfs" \
		"root=nbd://$host:$port/ ip=$guest_ip loglevel=4 $*"
}

# odd SENTENCE PATTERN WORD...: the boot ends with a message
odd()
{
	sentence=$1 pattern=$2
	shift 2
	start "$@"
	if vm_wait "*$pattern*"; then
		ok "$sentence"
	else
		not_ok "$sentence"
		show "$work/log"
	fi
	vm_stop
}

for type in xfs btrfs f2fs erofs vfat; do
	echo "$type" >"$tree/etc/marker"
	rm -f "$image"
	make_$type
	mode=rw kind=$vm_default
	# one with Debian's kernel, where it is a module; User-mode Linux has
	# it built in
	[ $type != xfs ] || kind=qemu
	[ $type != erofs ] || mode=ro
	serve 0 file "$image"
	# shellcheck disable=SC2154 # by serve
	start rw
	booted "a root on $type" "/dev/nbd0 $type $mode" $type
	unserve
	kind=$vm_default
	case $type in
	xfs | f2fs)
		# it was not unmounted
		serve 0 -r file "$image"
		start rw
		booted "the same, read-only, without its log" \
			"/dev/nbd0 $type ro" $type
		check 'with a message' said 'not unmounted.*(norecovery)'
		unserve
		;;
	btrfs)
		serve 0 -r file "$image"
		odd 'a root that is a subvolume is named' \
			'has no /etc/odd, but its subvolume @ has *(rootflags=subvol=@)' \
			init=/etc/odd
		check 'without its log' said 'not unmounted.*(rescue=nologreplay)'
		start rootflags=subvol=@
		booted 'a subvolume of btrfs' '/dev/nbd0 btrfs ro' $type
		unserve
		;;
	esac
done

# ---- odd exports ----

echo odd >"$tree/etc/marker"
part=$work/part disk=$work/disk
# what a journal that was not replayed looks like, and a tail that is no sector
ext4_of "$tree" "$image"
debugfs -w -R 'feature needs_recovery' "$image" >/dev/null 2>&1
truncate -s +100 "$image"
serve 0 -r file "$image"
start rw
booted 'an ext4 that is not clean, read-only, of an odd size' \
	'/dev/nbd0 ext4 ro' odd
check 'without its journal' said 'not unmounted.*(noload)'
check 'and the tail is named' said 'no multiple of'
unserve

# beyond 2 TiB, behind a hybrid MBR
ext4_of "$tree" "$part"
truncate -s 3T "$disk"
sgdisk -n 1:2048:+1M -n "2:$((5 << 29)):+32M" -c 2:root -h 1 "$disk" >/dev/null
dd if="$part" of="$disk" bs=1M seek=$((5 << 18)) conv=notrunc,sparse status=none
serve 0 file "$disk"
start rw nbdboot.part=PARTLABEL=root
booted 'a partition at 2.5 TiB behind a hybrid MBR' '/dev/nbd0p2 ext4 rw' odd
unserve

# sectors of 4 KiB, which blocks of a file system must not be smaller than, and
# tables for these and for those of 512 bytes
policy='--filter=blocksize-policy file'
large='blocksize-minimum=4096 blocksize-error-policy=error'
rm "$disk"
ext4_of "$tree" "$part" -b 4096
truncate -s 64M "$disk"
printf '%s\n' g n 1 1024 +32M w | fdisk -b 4096 "$disk" >/dev/null
dd if="$part" of="$disk" bs=1M seek=4 conv=notrunc status=none
# shellcheck disable=SC2086 # words on purpose
serve 0 $policy "$disk" $large
start rw nbdboot.part=1
booted 'a table for sectors of 4096 bytes' '/dev/nbd0p1 ext4 rw' odd
unserve
serve 0 file "$disk"
odd 'the same on sectors of 512 is named' \
	'made for sectors of 4096 bytes, and it has 512' nbdboot.part=1
unserve
rm "$disk"
disk_of "$part" "$disk"
# shellcheck disable=SC2086 # words on purpose
serve 0 $policy "$disk" $large
odd 'a table for sectors of 512 on larger ones is named' \
	'made for sectors of 512 bytes, and it has 4096' nbdboot.part=2
unserve
ext4_of "$tree" "$part" -b 1024
# shellcheck disable=SC2086 # words on purpose
serve 0 $policy "$part" $large
odd 'an ext4 of blocks of 1 KiB on larger sectors is named' \
	'the device has sectors of more than 512 bytes'
unserve
finish
