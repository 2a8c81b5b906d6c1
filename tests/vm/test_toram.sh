#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that copy their root to RAM, and live on without its server.  TAP on
# standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
disk=$work/disk

find_kernel
root_tree "$tree" guest/toram.sh
cp "$nbdboot" "$tree/bin/nbdboot"
ext4_of "$tree" "$work/part"
disk_of "$work/part" "$disk"
fallocate -d "$disk"
initramfs "$work/initramfs" 'virtio_net virtio_pci ext4 loop' |
	sed 's/^/# /'

# in_ram: at most a quarter of the image, whose rest are holes, is in RAM
in_ram()
{
	kib=$(sed -n 's/^guest: 67108864 bytes, \([0-9]*\) KiB in RAM$/\1/p' \
		"$work/log")
	[ "${kib:-0}" -gt 1000 ] && [ "$kib" -lt 16384 ]
}

# So slow that the copy is not over when its server is killed.
serve 0 --filter=blocksize-policy --filter=log --filter=rate file "$disk" \
	rate=800K logfile="$work/reads" \
	blocksize-minimum=1 blocksize-preferred=4096 blocksize-maximum=16K
in_qemu vm_start "$work/initramfs" \
	"root=nbd://$host:$port/ ip=$guest_ip loglevel=4 rw \
nbdboot.toram nbdboot.part=2"
# in the middle of the copy, whose reads are longer than those of what is looked
# at before, the server is killed and started again
if vm_wait '*nbdboot: copying *'; then
	until [ "$(grep -c 'Read id=.*count=0x4000 ' "$work/reads")" -gt 8 ] ||
		! runs "$vm"; do sleep 0.1; done
	unserve
	vm_wait '*; waiting for the server, for 600 s at most*' \
		'*nbdboot: root is *' || true
	serve "$port" file "$disk"
fi
if vm_wait '*nbdboot: root is /dev/loop0p2 *'; then
	unserve
	vm_wait 'guest: written' || true
	check 'a root in RAM outlives its server' said '^guest: written$'
	serve "$port" file "$disk"
fi
vm_end
check 'a copy to RAM outlives an outage' said 'answers again, after'
check 'it is a partition of the copy' said \
	'^guest: root is /dev/loop0p2 ext4 rw$'
check 'nothing is connected' said '^guest: connected 0$'
check 'holes take no memory' in_ram
ended 'it moves to the export itself, and its memory is free' \
	'^guest: root is /dev/nbd0p2 ext4 rw$' '^guest: copies 0$' \
	'!not all could be undone'
unserve

# pattern reports no holes
serve 0 pattern 2G
vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip loglevel=4 \
nbdboot.toram nbdboot.tune=tcp_rmem=large"
check 'a setting that is refused is named' \
	vm_wait '*nbdboot.tune=: tcp_rmem=large: Invalid argument*'
check 'an export that memory does not hold is refused' \
	vm_wait '*nbdboot.toram: the export has 2048 MiB, more data than*'
vm_stop
unserve
finish
