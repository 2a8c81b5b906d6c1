#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that boot by the words of dracut, Debian and mkinitcpio, by a list
# of servers, and by names with %h and the like.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
disk=$work/disk
mac=52:54:00:12:34:56 # of the first card of every qemu
uuid=11111111-2222-4333-8444-555555555555

# serve_as EXPORT: serves the disk under this name only
serve_as()
{
	serve 0 --filter=exportname file "$disk" "exportname=$1" \
		exportname-strict=true
}

# boots SENTENCE DEVICE WORDS [QEMU-ARGUMENT...]: the machine boots from
# partition 2, and ends
boots()
{
	sentence=$1 device=$2 words=$3
	shift 3
	vm_start "$work/initramfs" "ip=$guest_ip loglevel=4 rw $words" "$@"
	booted "$sentence" "/dev/${device}p2 ext4 rw" dialect
	unserve
}

# prints TEXT SENTENCE: the console has TEXT
prints()
{
	check "$2" grep -qF -e "$1" "$work/log"
}

find_kernel
root_tree "$tree" guest/boot.sh
echo dialect >"$tree/etc/marker"
ext4_of "$tree" "$work/part"
disk_of "$work/part" "$disk"
sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" -k "$modules" -o \
	-z zstd -m 'virtio_net virtio_pci ext4 squashfs' "$work/initramfs" |
	sed 's/^/# /'
[ "$vm_kind" = qemu ] ||
	uml_initramfs "$work/initramfs" 'ext4 squashfs' >/dev/null
check 'the initramfs of a virtual machine has at most 2.6 MB' \
	[ "$(wc -c <"$work/initramfs")" -le 2600000 ]

serve_as myvm
boots 'the words of dracut' nbd0 "root=/dev/nbd0p2 \
netroot=nbd:$host:$port:ext4:noatime:bs=512,C=2,name=myvm,persist,-sdp"
prints 'on the kernel command line: -sdp' 'and an option without an effect is reported'

serve_as myvm
boots 'the words of Debian' nbd1 \
	"nbdroot=$host:$port/myvm root=/dev/nbd1p2"

# QEMU's machines with an AArch64 CPU have neither, without firmware.
if [ ! "${ARCH-}" ]; then
	serve_as "S 1-$uuid"
	in_qemu boots 'the words of mkinitcpio, by serial number and UUID' nbd0 \
		"nbd_host=$host nbd_port=$port nbd_name=%s-%u root=/dev/nbd0p2" \
		-smbios "type=1,serial=S 1,uuid=$uuid"
fi

serve_as right
unserve
dead=$port
serve_as "$mac"
boots 'the second of two servers, by MAC address' nbd0 \
	"root=nbd://$host:$dead/x,nbd://$host:$port/%m nbdboot.part=2"
prints "$host: connect to $host port $dead: connection refused" \
	'and the reason against the first is reported'

finish
