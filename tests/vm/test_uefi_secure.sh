#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Secure Boot with keys that are made here: one machine that takes the keys,
# and one that has eleven disks to boot from.  From four of them something would
# start that is not signed, from one something that has another hash, from two a
# signed kernel with what nobody has signed, and from three a signed image that was
# changed.  The last is right, but of its two servers
# the first has another root.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"
# shellcheck source=tests/vm/verity.sh
. "$here/verity.sh"

uefi_code=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
uefi_machine="$uefi_machine -machine q35,smm=on \
	-global driver=cfi.pflash01,property=secure,value=on"
keys=$work/auth
global=8be4df61-93ca-11d2-aa0d-00e098032b8c

# ---- keys ----

make_keys()
{
	mkdir "$keys"
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 \
		-subj '/CN=nbdboot test/' -keyout "$work/key" \
		-out "$work/cert" 2>/dev/null
	cert-to-efi-sig-list -g "$(cat /proc/sys/kernel/random/uuid)" \
		"$work/cert" "$work/list"
	for name in PK KEK db; do
		sign-efi-sig-list -k "$work/key" -c "$work/cert" $name \
			"$work/list" "$keys/$name.auth" >/dev/null
	done
}

enroll()
{
	n=0
	mkdir "$work/variables"
	# the platform key last: from then on Secure Boot is on
	for name in db-d719b2cb-3d3a-4596-a3bc-dad00e67656f \
		KEK-$global PK-$global; do
		n=$((n + 1))
		# non-volatile, boot and runtime, authenticated by time
		{
			printf '\047\0\0\0'
			cat "$keys/${name%%-*}.auth"
		} >"$work/variables/$n.$name"
	done
	set_variables "$work/variables" 'the firmware takes the keys'
}

sign()
{
	sbsign --key "$work/key" --cert "$work/cert" --output "$2" "$1" \
		2>/dev/null >&2
}

build_efi
find_kernel
make_keys
enroll
sign "$efi" "$work/signed.efi"
sign "$kernel" "$work/signed-kernel"

root_tree "$work/tree" guest/boot.sh
echo secure >"$work/tree/etc/marker"
ext4_of "$work/tree" "$work/ext4" -b 4096
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 dm_mod dm_verity' \
	>/dev/null
mkdir "$work/served"
esp_of "$esp" "$kernel" "EFI/BOOT/$uefi_loader" "$work/signed-kernel" signed \
	"$work/initramfs" initramfs
efi_disk "$work/served/disk" "$esp" "$work/ext4"
cp "$kernel" "$work/served/vmlinuz"
serve 0 file dir="$work/served"
root="root=nbd://$host:$port/disk nbdboot.part=2 rw $kernel_words panic=1 \
loglevel=7"

drive "$efi" "$root unsigned_program"
drive "$work/signed.efi" "$root"
drive "$work/signed.efi" "$root kernel=/EFI/BOOT/$uefi_loader"
drive "$work/signed.efi" "$root kernel=nbd://$host:$port/vmlinuz"
kernel_is=$(sha256sum <"$work/signed-kernel" | cut -d ' ' -f 1)
archive_is=$(sha256sum <"$work/initramfs" | cut -d ' ' -f 1)
drive "$work/signed.efi" "$root kernel=/signed,sha256=$archive_is"
# in a file that nobody has signed a hash proves nothing
drive "$work/signed.efi" "$root kernel=/signed,sha256=$kernel_is \
initrd=/initramfs,sha256=$archive_is"
drive "$work/signed.efi" "$root kernel=/signed"

# from the key of the firmware to the last block of the root
served=$work/served
cp "$work/ext4" "$served/verity"
format "$served/verity" "$served/verity" --hash-offset=$((32 << 20))
cp "$served/verity" "$served/changed"
flip "$served/changed" 1100 0
sh "$here/../../boot/initramfs/mkuki.sh" -k "$kernel" -i "$work/initramfs" \
	-c "root=nbd://$host:$port/changed,nbd://$host:$port/verity ro \
roothash=$roothash ip=$guest_ip $kernel_words panic=1 loglevel=7" "$work/uki"
sign "$work/uki" "$served/uki"
for section in linux cmdline initrd; do
	at=$(objdump -h "$served/uki" | awk -v name=".$section" \
		'$2 == name { print $6 }')
	cp "$served/uki" "$served/$section"
	flip "$served/$section" $((0x$at + 60)) 0
	drive "$work/signed.efi" "$root kernel=nbd://$host:$port/$section"
done
drive "$work/signed.efi" "$root kernel=nbd://$host:$port/uki unsigned_word"
# shellcheck disable=SC2046,SC2086 # words on purpose
uefi_start $(user_net '') $drives
booted 'a signed program and a signed image boot' '/dev/dm-0 ext4 ro' secure
shows 'with Secure Boot' 'secureboot: Secure boot enabled'
shows 'the command line is that of the signed image' \
	'ommand line: root=nbd://.*/changed' '!ommand line: .*unsigned_word'
shows 'a root that was changed is refused, and the next server asked' \
	'FAILED: verity: .*is wrong for roothash='
refused=': access denied by Secure Boot: it is not signed'
shows 'a boot loader that is not signed is refused' \
	"FAILED: load EFI/BOOT/$uefi_loader$refused"
shows 'so is a kernel of the disk' "FAILED: load /EFI/BOOT/$uefi_loader$refused"
shows 'so is a kernel that is an export' "FAILED: load nbd://.*/vmlinuz$refused"
for section in linux cmdline initrd; do
	shows "so is a signed image whose $section was changed" \
		"FAILED: load nbd://.*/$section$refused"
done
wrong=': it is not what sha256='
shows 'a kernel with another hash is refused, though it is signed' \
	"FAILED: /signed$wrong"
unsigned='and Secure Boot is on'
shows 'so is an initramfs beside a signed kernel' \
	"FAILED: initrd=/initramfs: nobody has signed it, $unsigned"
shows 'so is a command line for a signed kernel' \
	"FAILED: /signed: nobody has signed its command line, $unsigned"
# its first line: its name and its version
if [ "$(grep -c 'nbdboot [^ ]*[[:cntrl:]]*$' "$work/log")" = 10 ]; then
	ok 'so is the program'
else
	not_ok 'so is the program'
	show "$work/log"
fi
finish
