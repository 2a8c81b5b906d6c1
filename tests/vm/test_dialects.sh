#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that boot by the words of dracut, Debian and mkinitcpio, by a list
# of servers, and by names that are filled in.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

PATH=$PATH:/sbin:/usr/sbin
tree=$work/tree
disk=$work/disk
mac=52:54:00:12:34:56 # of the first card of every qemu
uuid=11111111-2222-4333-8444-555555555555

make_tree()
{
	add_busybox "$tree"
	rm -f "$tree/bin/init"
	mkdir -p "$tree/sbin" "$tree/etc" "$tree/proc" "$tree/sys" \
		"$tree/dev" "$tree/run" "$tree/tmp"
	cp "$here/boot-guest.sh" "$tree/sbin/init"
	chmod 755 "$tree/sbin/init"
	echo dialect >"$tree/etc/marker"
}

# A root on the second partition.
make_disk()
{
	truncate -s 32M "$work/part"
	mke2fs -q -t ext4 -E root_owner=0:0 -d "$tree" "$work/part"
	truncate -s 64M "$disk"
	printf '%s\n' 'label: gpt' 'start=2048, size=2048' \
		'start=8192, size=65536' | sfdisk -q "$disk"
	dd if="$work/part" of="$disk" bs=1M seek=4 conv=notrunc status=none
}

# serve_as EXPORT: under this name alone
serve_as()
{
	serve 0 --filter=exportname file "$disk" "exportname=$1" \
		exportname-strict=true
}

# boots SENTENCE DEVICE WORDS: to the end of the machine, from its partition 2
boots()
{
	sentence=$1 device=$2
	vm_start "$work/initramfs" "ip=$guest_ip loglevel=4 rw $3" \
		-smbios "type=1,serial=S 1,uuid=$uuid"
	while vm_wait '*'; do :; done
	vm_stop
	if grep -q "^guest: root is /dev/${device}p2 ext4 rw$" "$work/log" &&
		grep -q '^guest: marker is dialect$' "$work/log" &&
		grep -q '^guest: end$' "$work/log" &&
		! grep -q '^guest: WRONG' "$work/log"; then
		ok "$sentence"
	else
		not_ok "$sentence"
		show "$work/log"
	fi
	unserve
}

said()
{
	if grep -qF -e "$1" "$work/log"; then
		ok "$2"
	else
		not_ok "$2"
		show "$work/log"
	fi
}

find_kernel
make_tree
make_disk
sh "$here/../../boot/init/mkinitramfs.sh" -b "$nbdboot" -k "$modules" -o \
	-z zstd -m 'virtio_net virtio_pci ext4 squashfs' "$work/initramfs" |
	sed 's/^/# /'
if [ "$(wc -c <"$work/initramfs")" -le 2600000 ]; then
	ok 'the initramfs of a virtual machine has at most 2.6 MB'
else
	not_ok 'the initramfs of a virtual machine has at most 2.6 MB'
fi

serve_as myvm
boots 'the words of dracut' nbd0 "root=/dev/nbd0p2 \
netroot=nbd:$host:$port:ext4:noatime:bs=512,C=2,name=myvm,persist,-sdp"
said 'speaks of: -sdp,' 'and an option that has no effect is told'

serve_as myvm
boots 'the words of Debian' nbd1 \
	"nbdroot=$host:$port/myvm root=/dev/nbd1p2"

serve_as "S 1-$uuid"
boots 'the words of mkinitcpio, by serial number and UUID' nbd0 \
	"nbd_host=$host nbd_port=$port nbd_name=%s-%u root=/dev/nbd0p2"

serve_as right
unserve
dead=$port
serve_as "$mac"
boots 'the second of two servers, by MAC address' nbd0 \
	"root=nbd://$host:$dead/x,nbd://$host:$port/%m nbdboot.part=2"
said "$host: connect to $host port $dead: connection refused" 'and why it is not the first is told'

finish
