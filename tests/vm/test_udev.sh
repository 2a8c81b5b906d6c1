#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The links of our rule in /dev/disk/by-id, with Debian's udev.  TAP on standard
# output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

# Debian's udev, with the libraries that it needs there, and our rule.
add_udev()
{
	debian=$(sh "$here/../debian.sh" "$O/debian") || exit 1
	mkdir -p "$tree/lib/systemd" "$tree/lib/udev/rules.d" "$tree/usr/sbin"
	cp "$debian/bin/udevadm" "$tree/bin/"
	ln -s /bin/udevadm "$tree/lib/systemd/systemd-udevd"
	chroot "$debian" ldd /bin/udevadm | grep -o '/[^ ]*' >"$work/libs"
	while read -r lib; do
		mkdir -p "$tree${lib%/*}"
		cp -L "$debian$lib" "$tree$lib"
	done <"$work/libs"
	make -s -C "$here/../.." O="$O" DESTDIR="$work/dest" PREFIX=/usr \
		install >/dev/null
	cp "$work/dest/usr/lib/udev/rules.d/60-nbdboot.rules" \
		"$tree/lib/udev/rules.d/"
	ln -s /bin/nbdboot "$tree/usr/sbin/nbdboot"
}

find_kernel
make_guest "$tree" guest/udev.sh
add_udev
truncate -s 4M "$tree/disk"
printf 'start=2048, size=2048\nstart=4096\n' | sfdisk -q "$tree/disk"
initramfs "$work/initramfs" nbd "$tree" | sed 's/^/# /'
vm_memory=768
guest_tests "$work/initramfs" ''
finish
