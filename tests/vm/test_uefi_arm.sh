#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot.efi on AArch64: it connects, and starts the boot loader of the disk,
# which is a second nbdboot.efi that ends as the file beside it is wrong.  TAP
# on standard output.
ARCH=aarch64
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"

build_efi
echo 'root=nbd:///nowhere' >"$work/conf"
esp_of "$esp" "$efi" "EFI/BOOT/$uefi_loader" "$work/conf" \
	EFI/BOOT/nbdboot.conf
efi_disk "$disk" "$esp"
serve 0 -r file "$disk"
# shellcheck disable=SC2046 # words on purpose
uefi_start -kernel "$efi" \
	-append "root=nbd://$host:$port/" \
	$(user_net '')
while vm_wait '*nbdboot*'; do
	case $line in
	*': 128 MiB, read-only, connected after '*)
		ok 'it connects' ;;
	*"EFI/BOOT/$uefi_loader: loaded in "*)
		ok 'the firmware finds the boot loader on the disk' ;;
	*'nbdboot: FAILED: nbdboot.conf: root=nbd:///nowhere'*)
		ok 'which starts, and reads the file beside it' ;;
	*"nbdboot: FAILED: EFI/BOOT/$uefi_loader: ended"*)
		ok 'and returns'
		# the firmware would try its other boot entries for minutes
		break ;;
	esac
done
vm_stop
[ "$count" = 4 ] || {
	not_ok 'all of that'
	show "$work/log"
}
finish
