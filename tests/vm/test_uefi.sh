#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Firmware that boots from a server by nbdboot.efi, and some that cannot.  TAP
# on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"

words="nbdboot.part=2 rw $kernel_words panic=1 loglevel=4"

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

# await PATTERN...: waits for a line of one, or reports its absence
await()
{
	vm_wait "$@" && return
	not_ok "the console says $1"
	show "$work/log"
}

build_efi
find_kernel
root_tree "$work/tree" guest/boot.sh
cp "$nbdboot" "$work/tree/bin/nbdboot"
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
has 'the address is by DHCP, the packets by virtio-net' \
	'nbdboot: 10.0.2.15/24, .*by DHCP, over virtio-net'
unserve

# ---- a server that fails in between ----

serve 0 file "$disk"
start_pxe "# the machine in the corner
root=nbd://$host:$port/ $words
kernel=/EFI/BOOT/$uefi_loader initrd=/initramfs"
await '*connected after*'
unserve
# an outage is reported at once, and then each 5 s, or somewhat later
await '*([5-9] s); retrying*' '*([1-9][0-9]* s); retrying*'
serve "$port" file "$disk"
booted 'PXE, a kernel loaded directly, a server killed for 5 s' \
	'/dev/nbd0p2 ext4 rw' uefi
has 'the address is that of PXE' 'nbdboot: 10.0.2.15/24, .*by PXE'
has 'the message says that the server is back' 'answers again, after'
has 'the initrd is by LoadFile2' 'initrd from LINUX_EFI_INITRD_MEDIA_GUID'

# this card has no driver in OVMF, but one in its ROM
vm_nic=e1000 vm_rom=/usr/lib/ipxe/qemu/efi-e1000.rom
start "root=nbd://$host:$port/ $words initrd=\\initramfs"
await '*connected after*'
kill -STOP "$server"
await '*no answer yet*'
kill -CONT "$server"
booted 'e1000, a server that is frozen for 5 s' '/dev/nbd0p2 ext4 rw' uefi
vm_nic='' vm_rom=''

truncate -s 130M "$work/other"
start "root=nbd://$host:$port/ $words initrd=\\initramfs"
await '*connected after*'
unserve
await '*retrying*'
serve "$port" file "$work/other"
fails_with 'another disk on return' 'and cannot grow'
unserve

# ---- other loaders, whose command lines name no server ----

stub=/usr/lib/systemd/boot/efi
sh "$here/../../boot/initramfs/mkuki.sh" -c "$words" -k "$kernel" \
	-i "$work/initramfs" "$work/uki.efi" | sed 's/^/# /'
esp_of "$esp" "$work/uki.efi" "EFI/BOOT/$uefi_loader"
efi_disk "$disk" "$esp" "$work/ext4"
serve "$port" file "$disk"
start "root=nbd://$host:$port/"
booted 'a unified kernel image with a command line of its own' \
	'/dev/nbd0p2 ext4 rw' uefi
has 'and init takes the root from the variable of the firmware' \
	'nbdboot: root and address are those of nbdboot.efi'
has 'and so does parse-root' \
	"guest: parse-root: root_uri='nbd://$host:$port/'"
has 'with the address' "guest: parse-root: root_ip='10.0.2.15:.*'"
unserve

printf '%s\n' 'title nbdboot' 'linux /vmlinuz' 'initrd /initramfs' \
	"options $words" >"$work/entry"
esp_of "$esp" "$stub/systemd-bootx64.efi" "EFI/BOOT/$uefi_loader" \
	"$kernel" vmlinuz "$work/initramfs" initramfs
mmd -i "$esp" ::loader ::loader/entries
mcopy -i "$esp" "$work/entry" ::loader/entries/nbdboot.conf
efi_disk "$disk" "$esp" "$work/ext4"
serve "$port" file "$disk"
start "root=nbd://$host:$port/"
booted 'systemd-boot' '/dev/nbd0p2 ext4 rw' uefi
unserve

# GRUB writes its environment block to the disk.
cat >"$work/grub.cfg" <<END
search --file --set=root /vmlinuz
set seen=yes
save_env -f /grubenv seen
linux /vmlinuz $words
initrd /initramfs
boot
END
grub-editenv "$work/grubenv" create
grub-mkimage -O x86_64-efi -o "$work/grub.efi" -p / -c "$work/grub.cfg" \
	part_gpt fat normal linux search search_fs_file loadenv
esp_of "$esp" "$work/grub.efi" "EFI/BOOT/$uefi_loader" "$kernel" vmlinuz \
	"$work/initramfs" initramfs "$work/grubenv" grubenv
efi_disk "$disk" "$esp" "$work/ext4"
serve "$port" file "$disk"
start "root=nbd://$host:$port/"
booted 'GRUB' '/dev/nbd0p2 ext4 rw' uefi
unserve
dd if="$disk" of="$esp" bs=1M skip=1 count=64 status=none
if mtype -i "$esp" ::grubenv | grep -q '^seen=yes$'; then
	ok 'and its environment block is on the server'
else
	not_ok 'and its environment block is on the server'
fi

# ---- kernel and initramfs as exports, the program on a local disk ----

cp "$kernel" "$work/served/vmlinuz"
cp "$work/initramfs" "$work/served/initramfs"
efi_disk "$work/served/disk" "$esp" "$work/ext4"
hash_of()
{
	sha256sum <"$1" | cut -d ' ' -f 1
}
printf '%s\n' '# beside the program' "root=nbd://$host:$port/disk $words" \
	"kernel=nbd://$host:$port/vmlinuz,sha256=$(hash_of "$kernel")" \
	"initrd=nbd://$host:$port/initramfs,sha256=$(hash_of "$work/initramfs")" \
	>"$work/conf"
esp_of "$esp" "$efi" "EFI/BOOT/$uefi_loader" "$work/conf" \
	EFI/BOOT/nbdboot.conf
efi_disk "$work/local" "$esp"
serve "$port" file dir="$work/served"
# shellcheck disable=SC2046 # words on purpose
uefi_start $(user_net '') -drive "if=none,id=local,format=raw,file=$work/local" \
	-device virtio-blk-pci,drive=local,bootindex=0
booted 'the program on a local disk, kernel and initramfs as exports, with hashes' \
	'/dev/nbd0p2 ext4 rw' uefi
unserve

# ---- mistakes ----

# a cable without a network behind it
uefi_start -kernel "$efi" -append "root=nbd://$host/" \
	-netdev hubport,id=net,hubid=1 \
	-device virtio-net-pci,netdev=net,romfile=
fails_with 'no lease' 'DHCP: no lease within 45 s'

efi_disk "$disk" /dev/null
serve "$port" file "$disk"

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

start "root=nbds://$host:$port/"
fails_with 'a server with TLS, which this program does not have' \
	'nbds:// needs TLS'

start 'root=nbd:///x'
fails_with 'a URI that is none' 'LoadOptions: root=nbd:///x'

finish
