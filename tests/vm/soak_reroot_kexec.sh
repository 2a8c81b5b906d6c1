#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines move into other roots with the kernel of these: one with busybox to TLS,
# from it, and from a disk; an installed Debian with the initramfs of these programs
# (INITRAMFS) from a server to its disk and back.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-1800}
# shellcheck source=tests/vm/reroot.sh
. "${0%/*}/reroot.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

# boots_into NAME SENTENCE ROOT WORDS: by another start of a kernel
boots_into()
{
	first=$(boot_id)
	tell "nbdboot reroot --kexec $4"
	check "$2" arrives "$1"
	check "$2: the root is that" said "guest: root is $3 ext4 rw"
	last=$(boot_id)
	check "$2: the kernel has started anew" started_anew
}

find_kernel
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/server"
make_small
mkdir -p "$small/etc/nbdboot" "$work/tls"
cp "$work/pki/ca-cert.pem" "$small/etc/nbdboot"
cp "$work/pki/ca-cert.pem" "$work/tls"
rescue_initramfs "$work/tls"
tree=$small
add_kernel
image a "$small" 80M
image b "$small" 80M
image local "$small" 80M
start a
start b --tls=require --tls-certificates="$work/server"
a="nbd://$host:$port_a/"
b="nbds://$host:$port_b/?tls-certificates=/etc/nbdboot"
vm_memory=384
start_machine "$work/initramfs" "rdinit=/rescue guest.root=$a" \
	-action reboot=reset -drive "file=$work/local,format=raw,if=virtio"
check 'a machine is up' arrives a
boots_into b 'to a server with TLS' /dev/nbd0 "'$b'"
check 'the kernel has the keys' succeeds \
	"grep 'TlsCurrTx[A-Z][a-z]*[[:space:]]*1\$' /proc/net/tls_stat"
boots_into a 'and back' /dev/nbd0 "--append ip=dhcp $a"
check 'the words for the network are those of --append alone' \
	[ "$(grep -o ' ip=[^ ]*' "$work/log")" = ' ip=dhcp' ]
tell 'nbdboot reroot local:/dev/vda'
check 'to a disk, under that kernel' arrives local
boots_into a 'from there to a server' /dev/nbd0 "$a"
vm_stop
stop a
stop b

# ---- Debian: from a server to a disk, and back ----

# installed GENERATOR: makes $work/old and $work/disk, Debian with that initramfs,
# which is $work/initrd.img, too
installed()
{
	tree=$work/tree
	MAKE="dep $1" sh "$here/dropin-root.sh" "$O/debian/dropin" "$debian" \
		"$modules" "$tree" "$O"/deb/*.deb || exit 1
	[ "$1" != dracut ] ||
		mv "$tree/boot/dracut.img" "$tree/boot/initrd.img-$version"
	cp "$kernel" "$tree/boot/vmlinuz-$version"
	cp "$tree/boot/initrd.img-$version" "$work/initrd.img"
	install -m 755 "$here/guest/reroot.sh" "$tree/usr/sbin/guest"
	cp "$file" "$tree/etc/file"
	unit guest '[Service]
ExecStart=/usr/sbin/guest'
	image old "$tree" 1600M
	image disk "$tree" 1600M
	rm -rf "$tree"
}

# journey GENERATOR WORDS: the words are for its first boot
journey()
{
	start_machine "$work/initrd.img" "rw ip=dhcp panic=5 \
rd.emergency=poweroff $2" \
		-drive "file=$work/disk,format=raw,if=virtio"
	check "$1: Debian is up" arrives old
	before=$(goodbyes old)
	boots_into disk "$1: to its disk" /dev/vda local:/dev/vda
	check "$1: which is found by its UUID" said "root=UUID=$(blkid -s UUID \
		-o value "$work/disk") "
	check "$1: the server saw the disconnect" \
		[ "$(goodbyes old)" -gt "$before" ]
	# not by us: with what that system has
	check "$1: the network of that system is up" succeeds \
		"cd /sys/class/net; for nic in e*; do ip link set \$nic up; \
dhclient \$nic; done"
	boots_into old "$1: from there to the server" '/dev/nbd[0-9]*' "$old"
	vm_stop
}

[ ! "${INITRAMFS=initramfs-tools dracut}" ] || {
	debian=$(sh "$here/../debian.sh" "$O/debian") || exit 1
	make -s -C "$here/../.." O="$O" deb >"$work/debs" || exit 1
}
# dracut's has the drivers of all machines
vm_memory=2048
for generator in $INITRAMFS; do
	installed "$generator"
	start old
	old="nbd://$host:$port_old/"
	case $generator in
	dracut) journey dracut "root=nbd:$host:$port_old:ext4" ;;
	*) journey "$generator" "root=/dev/nbd0 nbdroot=$host:$port_old/root" ;;
	esac
	stop old
done
finish
