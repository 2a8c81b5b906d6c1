#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A machine's firmware boots from a server: power-on in OVMF, PXE, nbdboot.efi,
# Debian's kernel, our initramfs and the root.  TFTP brings the program and
# nbdboot.conf, one nbdkit all the rest.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"

build_efi
find_kernel
root_tree "$work/tree" guest/boot.sh
echo demo >"$work/tree/etc/marker"
mkdir "$work/served" "$work/tftp"
ext4_of "$work/tree" "$work/ext4"
esp_of "$esp" "$efi" nbdboot.efi
efi_disk "$work/served/disk" "$esp" "$work/ext4"
initramfs "$work/served/initramfs" 'nbd virtio_net virtio_pci ext4' >/dev/null
cp "$kernel" "$work/served/vmlinuz"
cp "$efi" "$work/tftp/nbdboot.efi"
serve 0 file dir="$work/served"
uri=nbd://$host:$port
printf '%s\n' "root=$uri/disk nbdboot.part=2 rw" \
	"kernel=$uri/vmlinuz initrd=$uri/initramfs" \
	"$kernel_words panic=1 loglevel=4" >"$work/tftp/nbdboot.conf"
echo "demo: nbdkit serves $uri; nbdboot.conf, by TFTP:"
sed 's/^/demo:   /' "$work/tftp/nbdboot.conf"

print()
{
	printf '%s\n' "$line"
}

# Sets $1 to the ms since the start.
lap()
{
	eval "$1=$((($(date +%s%N) - start) / 1000000))"
}

vm_line=print
start=$(date +%s%N)
# shellcheck disable=SC2046 # words on purpose
uefi_start $(user_net "tftp=$work/tftp,bootfile=nbdboot.efi")
vm_wait 'nbdboot [0-9a-z]*' || die 'FAILED: the firmware did not start it'
lap program
vm_wait '*loaded in*' || die 'FAILED: there is no kernel'
lap loaded
vm_wait 'guest: root is /dev/nbd0p2*' || die 'FAILED: there is no root'
lap root
vm_end
# shellcheck disable=SC2154 # lap sets them
echo "demo: ms since power-on: program $program, kernel loaded $loaded," \
	"root $root"
