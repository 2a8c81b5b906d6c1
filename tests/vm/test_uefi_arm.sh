#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot.efi on AArch64: it connects, and starts the boot loader of the disk,
# which is a second nbdboot.efi that ends as the file beside it is wrong.  Then
# the same from a server with TLS.  TAP on standard output.
ARCH=aarch64
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"

# starts_the_disk HOW QEMU-ARGUMENT...: the four steps
starts_the_disk()
{
	how=$1 before=$count
	shift
	# shellcheck disable=SC2046 # words on purpose
	uefi_start $(user_net '') "$@"
	while vm_wait '*nbdboot*'; do
		case $line in
		*': 128 MiB, read-only, connected after '*)
			ok "$how: it connects" ;;
		*"EFI/BOOT/$uefi_loader: loaded in "*)
			ok "$how: the firmware finds the boot loader on the disk" ;;
		*'nbdboot: FAILED: nbdboot.conf: root=nbd:///nowhere'*)
			ok "$how: which starts, and reads the file beside it" ;;
		*"nbdboot: FAILED: EFI/BOOT/$uefi_loader: ended"*)
			ok "$how: and returns"
			# the firmware would try its other boot entries for minutes
			break ;;
		esac
	done
	vm_stop
	[ $((count - before)) = 4 ] || {
		not_ok "$how: all of that"
		show "$work/log"
	}
}

build_efi
echo 'root=nbd:///nowhere' >"$work/conf"
esp_of "$esp" "$efi" "EFI/BOOT/$uefi_loader" "$work/conf" \
	EFI/BOOT/nbdboot.conf
efi_disk "$disk" "$esp"
serve 0 -r file "$disk"
starts_the_disk plain -kernel "$efi" -append "root=nbd://$host:$port/"

build_efi tls
echo "alice:$(head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n')" >"$work/psk"
chmod 600 "$work/psk"
serve 0 -r --tls=require --tls-psk="$work/psk" file "$disk"
drive_files="$work/psk etc/key"
drive "$efi" "root=nbds://alice@$host:$port/?tls-psk-file=/etc/key"
# shellcheck disable=SC2086 # words on purpose
starts_the_disk TLS $drives -device virtio-rng-pci
finish
