# shellcheck shell=sh disable=SC2154,SC2034
# SPDX-License-Identifier: BSD-2-Clause
# Machines with a disk to which their root moves (guest/clone.sh), and whose power
# is cut.  Sourced behind lib.sh.
tree=$work/tree
image=$work/image
disk=$work/disk
uuid=6cfcd8a3-5f02-4f4a-8a3e-4c2b35e3c0c1

find_kernel
root_tree "$tree" guest/clone.sh
install -m 755 "$nbdboot" "$tree/bin/nbdboot"
install -m 644 "$uml_modules/kernel/drivers/block/loop.ko" "$tree/loop.ko"
mkdir -p "$tree/var/tmp" "$tree/mnt"
head -c 512k /dev/zero >"$tree/var/tmp/blob"
ext4_of "$tree" "$work/root" -U "$uuid"
initramfs "$work/initramfs" \
	'nbd virtio_net virtio_pci ext4 overlay loop dm_mod dm_mirror' |
	sed 's/^/# /'

# boot WORD...: with the disk
boot()
{
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip \
loglevel=4 rw ubd0=$disk $*"
	vm_end
}

# is_sound FILE: its file system has no error
is_sound()
{
	e2fsck -fn "$1" >"$work/fsck" 2>&1
}

# cut_power PATTERN...: of a machine at the last of these lines; the next boot is
# from the server, or from a disk that is complete.  Sets from.
cut_power()
{
	cp "$work/root" "$image"
	rm -f "$disk"
	truncate -s 40M "$disk"
	serve 0 file "$image"
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip \
loglevel=6 rw ubd0=$disk nbdboot.clone=/dev/ubda,rate=5 guest.cut"
	for pattern; do
		vm_wait "$pattern"
	done
	vm_stop
	kept=$(sed -n 's/^guest: kept //p' "$work/log" | tail -n 1)
	boot nbdboot.clone=/dev/ubda
	has=$(sed -n 's/^guest: has //p' "$work/log")
	from=$(sed -n 's/.*at first the root is on .* made of //p' "$work/log")
	unserve
	check "it has what it had written (${has:-0}, ${kept:-0})" \
		[ "${has:-0}" -ge "${kept:-0}" ]
	case $from in
	nbd0) check 'and the server is clean' is_sound "$image" ;;
	*) check 'and the disk is clean' is_sound "$disk" ;;
	esac
}
