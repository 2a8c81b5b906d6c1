#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Roots on the file systems that test_boot.sh does not have.  The type is found
# on the device, and the modules are loaded as the kernel asks for them, from
# the initramfs of `make initramfs` without MODULES.  TAP on standard output.
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
	truncate -s 128M "$image"
	mkfs.btrfs -q --rootdir "$tree" "$image" >/dev/null
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
for type in xfs btrfs erofs vfat; do
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
	vm_kind=$kind
	vm_start "$work/initramfs" \
		"root=nbd://$host:$port/ ip=$guest_ip loglevel=4 rw"
	booted "a root on $type" "/dev/nbd0 $type $mode" $type
	unserve
done
finish
