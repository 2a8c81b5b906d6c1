#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Firmware that boots from a server by nbdboot.efi, and some that cannot.  TAP
# on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"

words="nbdboot.part=2 rw console=$console panic=1 loglevel=4"

# start WORDS [QEMU-ARGUMENT...]: the firmware starts the program with WORDS
start()
{
	append=$1
	shift
	# shellcheck disable=SC2046 # words on purpose
	uefi_start -kernel "$efi" -append "$append" $(user_net '') "$@"
}

# start_pxe CONFIGURATION: it gets the program by PXE, with nbdboot.conf
start_pxe()
{
	printf '%s\n' "$1" >"$work/tftp/nbdboot.conf"
	# shellcheck disable=SC2046 # words on purpose
	uefi_start $(user_net "tftp=$work/tftp,bootfile=nbdboot.efi")
}

# fails_with SENTENCE PATTERN: the program says why, and the firmware goes on
fails_with()
{
	vm_wait '*nbdboot: FAILED: *' || true
	if ! said "nbdboot: FAILED: .*$2"; then
		not_ok "$1"
		show "$work/log"
	elif ! vm_wait '*BdsDxe: *' '*Start PXE*' '*Start HTTP*'; then
		not_ok "$1: the firmware does not go on"
		show "$work/log"
	else
		ok "$1"
		grep 'nbdboot: FAILED' "$work/log" | sed 's/^/# /'
	fi
	vm_stop
}

# has SENTENCE PATTERN: a line of the console
has()
{
	if said "$2"; then
		ok "$1"
	else
		not_ok "$1"
		show "$work/log"
	fi
}

# await PATTERN: waits for a line, or reports its absence
await()
{
	vm_wait "$1" && return
	not_ok "the console says $1"
	show "$work/log"
}

build_efi
find_kernel
root_tree "$work/tree" guest/boot.sh
echo uefi >"$work/tree/etc/marker"
ext4_of "$work/tree" "$work/ext4"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci e1000 ext4' |
	sed 's/^/# /'
esp_of "$esp" "$kernel" "EFI/BOOT/$uefi_loader" "$work/initramfs" initramfs
mkdir "$work/served" "$work/tftp"
efi_disk "$disk" "$esp" "$work/ext4"
cp "$efi" "$work/tftp/nbdboot.efi"

# ---- boots ----

# With one client at a time: the kernel's connection needs the firmware's end.
serve 0 --filter=limit file "$disk" limit=1
start "root=nbd://$host:$port/ $words initrd=\\initramfs"
booted 'the boot loader of the disk, and the root behind it' \
	'/dev/nbd0p2 ext4 rw' uefi
has 'the address is by DHCP, the packets by EFI_SIMPLE_NETWORK' \
	'nbdboot: 10.0.2.15/24, .*by DHCP, over EFI_SIMPLE_NETWORK'
unserve

# ---- a server that fails in between ----

serve 0 file "$disk"
start_pxe "# the machine in the corner
root=nbd://$host:$port/ $words
kernel=/EFI/BOOT/$uefi_loader initrd=/initramfs"
await '*connected after*'
unserve
await '*(5 s); retrying*'
serve "$port" file "$disk"
booted 'PXE, a kernel loaded directly, a server killed for 5 s' \
	'/dev/nbd0p2 ext4 rw' uefi
has 'the address is that of PXE' 'nbdboot: 10.0.2.15/24, .*by PXE'
has 'the message says that the server is back' 'answers again, after'
has 'the initrd is by LoadFile2' 'initrd from LINUX_EFI_INITRD_MEDIA_GUID'

start "root=nbd://$host:$port/ $words initrd=\\initramfs"
await '*connected after*'
kill -STOP "$server"
await '*no answer yet*'
kill -CONT "$server"
booted 'a server that is frozen for 5 s' '/dev/nbd0p2 ext4 rw' uefi

truncate -s 130M "$work/other"
start "root=nbd://$host:$port/ $words initrd=\\initramfs"
await '*connected after*'
unserve
await '*retrying*'
serve "$port" file "$work/other"
fails_with 'another disk on return' 'this is another disk'

# ---- mistakes ----

start "root=nbd://$host:$port/"
fails_with 'a disk without a volume' 'no volume'
unserve

serve "$port" --filter=exportname file "$disk" exportname=right \
	exportname-strict=true
start "root=nbd://$host:$port/wrong"
fails_with 'an export that is not there' 'wrong'
unserve

start "root=nbd://$host:$port/ nbdboot.timeout=2"
fails_with 'no server' "$host.*$port"

start 'root=nbd:///x'
fails_with 'a URI that is none' 'LoadOptions: root=nbd:///x'

finish
