#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines with an AArch64 CPU and Debian's kernel for it: a root, an overlay, the
# way down, and U-Boot, whose EFI starts nbdboot.efi.  TAP on standard output.
# The overlay is first: the other machines leave a journal to replay.
export ARCH=aarch64
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"

tree=$work/tree
ext4=$work/ext4
O=$O/t/cpu-aarch64
nbdboot=$O/nbdboot

# inits of the other tests
copy_init()
{
	cp "$here/guest/$1" "$tree/$2"
	chmod 755 "$tree/$2"
}

(
	unset MAKEFLAGS MFLAGS MAKEOVERRIDES CC CFLAGS STATIC
	make -s -j2 ARCH=aarch64 O="$O" all >"$work/log" 2>&1
) || {
	show "$work/log"
	die 'the program does not build'
}
find_kernel
root_tree "$tree" guest/boot.sh
copy_init overlay.sh sbin/overlay
copy_init down.sh etc/guest
echo '::once:/etc/guest
::restart:/run/initramfs/shutdown poweroff' >"$tree/etc/inittab"
ln -s busybox "$tree/bin/init"
echo cpu >"$tree/etc/marker"
echo + >"$tree/etc/kept"
ext4_of "$tree" "$ext4"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 overlay' |
	sed 's/^/# /'
serve 0 file "$ext4"
words="root=nbd://$host:$port/ ip=$guest_ip loglevel=4"

sum=$(sha256sum "$ext4")
vm_start "$work/initramfs" "$words nbdboot.overlay init=/sbin/overlay"
vm_end
check 'an overlay' said '^guest: / is overlay rw$'
check 'it holds what the machine writes' \
	said '^guest: marker becomes changed, above changed, below cpu$'
check 'the machine ended by itself' said '^guest: end$'
check 'the image is what it was' [ "$(sha256sum "$ext4")" = "$sum" ]

vm_start "$work/initramfs" "$words rw"
booted 'a root on ext4' '/dev/nbd0 ext4 rw' cpu
check 'what the machine wrote is on the server' \
	[ "$(debugfs -R 'cat /tmp/written' "$ext4" 2>/dev/null)" = written ]

vm_start "$work/initramfs" "$words rw init=/bin/init guest.how=pivot"
vm_end
check 'on the way down all is unmounted and disconnected' \
	said 'nbdboot: all is unmounted and disconnected'
check 'and the kernel does not panic' [ ! "$(grep 'Kernel panic' "$work/log")" ]
dumpe2fs -h "$ext4" 2>/dev/null >"$work/super"
check 'the file system was left clean' \
	grep -q '^Filesystem state: *clean$' "$work/super"
unserve

# ---- U-Boot ----

# It asks DHCP and TFTP for a program, and gives it no words.
build_efi
esp_of "$esp" "$kernel" vmlinuz "$work/initramfs" initramfs
efi_disk "$disk" "$esp" "$ext4"
mkdir "$work/tftp"
cp "$efi" "$work/tftp/nbdboot.efi"
# less than the kernel, so that the outage is while that is read
serve_part "$port" 8388608 "$disk" --filter=limit limit=1
uefi_code=/usr/lib/u-boot/qemu_arm64/u-boot.bin uefi_vars=''
# its default ethaddr: it ignores another address of the card, Linux does not
vm_nic=virtio-net-pci,mac=52:52:52:52:52:52
# shellcheck disable=SC2046 # words on purpose
uefi_start $(user_net "tftp=$work/tftp,bootfile=nbdboot.efi")
vm_wait '*boot from which URI*' || true
printf '%s\r' "nbd://$host:$port/ kernel=/vmlinuz initrd=/initramfs \
nbdboot.part=2 rw console=$console panic=1 loglevel=4" >&4
# no interrupt would wake a processor that is halted
vm_wait '*connected after*' || true
until [ -e "$work/held" ] || ! runs "$vm"; do :; done
unserve
vm_wait '*retrying*' || true
serve "$port" --filter=limit file "$disk" limit=1
booted 'U-Boot, a URI that is typed, kernel and root from one disk' \
	'/dev/nbd0p2 ext4 rw' cpu
check 'and an outage meanwhile' said 'answers again, after'
check 'by its EFI_SIMPLE_NETWORK' \
	said 'nbdboot: 10.0.2.15/24, .*over EFI_SIMPLE_NETWORK'
finish
